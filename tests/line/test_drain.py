"""A real process with a health port, and SIGTERM: what is under way ends, nothing begins, a second one waits for
nothing."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import socket
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import aiohttp

from bot.cli.announcements import ENDING, READY
from tests.forks import Begun, begun, triage
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
        paths = ("--config", str(line.config), "--home", str(line.home), "--health-port", "0")
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


async def probe(bot: Begun, path: str) -> tuple[int, str]:
    """The status and the text of the health port."""
    (port,) = re.findall(r"Health port: http://127\.0\.0\.1:(\d+)\n", bot.out.read_text())
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}{path}") as answer:
        return answer.status, await answer.text()


async def test_a_run_under_way_ends_and_another_question_waits_for_the_next_process(line: Line) -> None:
    """The first one has its draft after SIGTERM; the other one is saved, and no model has seen it."""
    play = HeldPlay()
    async with investigating(line, play) as (bot, server):
        assert await probe(bot, "/healthz") == (200, "alive")
        assert await probe(bot, "/readyz") == (200, "ready")
        terminate(bot)
        await until(lambda: ENDING in bot.out.read_text())
        assert await probe(bot, "/readyz") == (503, "draining")
        await line.ana.say(LATER)
        await until(lambda: len([*(line.home / "state").glob("*.json")]) == 2)
        assert len(server.requests) == 1
        play.may_answer.set()
        await asyncio.to_thread(bot.process.join, 60)
        assert bot.process.exitcode == 0
        assert "Stopped. 2 open" in bot.out.read_text()
        assert LATER not in str(server.requests)
    assert statuses(line) == ["investigating", "pending-user"]


async def test_metrics_of_a_bot_have_figures_and_no_ids(line: Line) -> None:
    """A question that a model was asked about, then its reply."""
    play = HeldPlay()
    async with investigating(line, play) as (bot, _):
        _, before = await probe(bot, "/metrics")
        assert 'triage_open_threads{status="investigating"} 1.0' in before
        assert 'triage_waiting{queue="questions"} 1.0' in before
        assert "triage_slack_connected 1.0" in before
        assert 'triage_effects_total{kind="investigate",outcome="done"} 0.0' in before
        play.may_answer.set()
        await line.olu.press("approve", await line.olu.card(QUESTION, '"approve"'))
        await line.olu.card("The reply is posted.")
        _, after = await probe(bot, "/metrics")
    assert 'triage_effects_total{kind="investigate",outcome="done"} 1.0' in after
    assert "triage_replies_posted_total 1.0" in after
    assert 'triage_waiting{queue="questions"} 0.0' in after
    assert float(re.findall(r"triage_ack_seconds_count (.*)", after)[0]) >= 2  # the question and the press
    secrets = [
        *line.variables.values(),
        "U0ANA",
        "U0OPS",
        "C0HELP",
        "T0SANDBOX",
        "payment",
        "orders.py",
        str(line.home),
    ]
    assert not [secret for secret in secrets if secret in after]


async def test_a_port_that_is_taken_ends_the_start(line: Line) -> None:
    """With the option and the next step, before Slack is asked anything."""
    paths = ("--config", str(line.config), "--home", str(line.home))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line.writes()
        done = await asyncio.to_thread(
            lambda: triage("run", *paths, "--health-port", f"{port}", variables=line.variables)
        )
    assert done.returncode == 2
    assert f"--health-port: port {port} is taken; choose another" in done.stderr


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
