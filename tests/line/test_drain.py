"""SIGTERM on a real process: what is under way ends, nothing begins, and a second one waits for nothing."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.cli.run import ENDING, READY
from tests.forks import Begun, begun
from tests.line.agents import QUESTION
from tests.line.human import until
from tests.line.play import Play
from tests.model_server import Answer, Body, ModelServer
from tests.model_stream import COMPLETE, send_message

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from aiohttp import web

    from tests.line.conftest import Line

LATER = "how is an order cancelled?"


@dataclass
class HeldPlay:
    """A model that answers nothing until the test lets it."""

    play: Play = field(default_factory=Play)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, body: Body) -> Answer:
        """Answer like the play, later."""

        async def answer(request: web.Request) -> web.StreamResponse:
            await self.may_answer.wait()
            message = self.play(body)
            assert not callable(message)
            return await send_message(request, request[COMPLETE](message))

        return answer


@asynccontextmanager
async def investigating(line: Line, play: HeldPlay) -> AsyncIterator[tuple[Begun, ModelServer]]:
    """A real process whose model was asked once, and has not answered."""
    async with ModelServer(play) as server:
        line.writes(more=f"engine: claude\nmodel: {{base_url: '{server.url}', max_retries: 0}}\n")
        paths = ("--config", str(line.config), "--home", str(line.home))
        with begun("run", *paths, variables=line.variables) as bot:
            await until(lambda: READY in bot.out.read_text())
            await line.ana.say(QUESTION)
            await asyncio.wait_for(server.arrived.wait(), 60)
            yield bot, server
            play.may_answer.set()


def terminate(bot: Begun) -> None:
    """Send SIGTERM."""
    assert bot.process.pid is not None
    os.kill(bot.process.pid, signal.SIGTERM)


def statuses(line: Line) -> list[str]:
    """The statuses of all threads, by name."""
    documents = [json.loads(path.read_text())["thread"] for path in (line.home / "state").glob("*.json")]
    return sorted(thread["status"] for document in documents for thread in document.values())


async def test_a_run_under_way_ends_and_another_question_waits_for_the_next_process(line: Line) -> None:
    """The first one has its draft after SIGTERM; the other one is saved, and no model has seen it."""
    play = HeldPlay()
    async with investigating(line, play) as (bot, server):
        terminate(bot)
        await until(lambda: ENDING in bot.out.read_text())
        await line.ana.say(LATER)
        await until(lambda: len([*(line.home / "state").glob("*.json")]) == 2)
        assert len(server.requests) == 1
        play.may_answer.set()
        await asyncio.to_thread(bot.process.join, 60)
        assert bot.process.exitcode == 0
        assert "Stopped. 2 open" in bot.out.read_text()
        assert LATER not in str(server.requests)
    assert statuses(line) == ["investigating", "pending-user"]


async def test_a_second_signal_waits_for_nothing(line: Line) -> None:
    """It ends long before the time that work under way has."""
    async with investigating(line, HeldPlay()) as (bot, _):
        began = time.monotonic()
        terminate(bot)
        await until(lambda: ENDING in bot.out.read_text())
        terminate(bot)
        await asyncio.to_thread(bot.process.join, 60)
        assert bot.process.exitcode == 0
        assert time.monotonic() - began < 20
