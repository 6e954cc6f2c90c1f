"""Investigations as jobs: a process that is killed during one, and the others go on with it."""

from __future__ import annotations

import asyncio
import signal
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest

from bot.models.session import Session
from tests.line.agents import QUESTION
from tests.line.human import Human, cards, until
from tests.line.play import CITED, GOOD, PASSES, Play
from tests.model_server import Answer, Body, Fault, ModelServer, hang
from tests.model_stream import COMPLETE, send_message
from tests.replicas import open_place

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from aiohttp import web

    from tests.replicas import Place

LISTEN, WORK = ("--only", "listen"), ("--only", "work", "--workers", "2")


@asynccontextmanager
async def open_shop(folder: Path, play: Play) -> AsyncIterator[tuple[Place, ModelServer]]:
    """Replicas whose engine is agents on a scripted model."""
    async with ModelServer(play) as server:
        model = {"base_url": server.url, "max_retries": 0}
        async with open_place(folder, engine="claude", model=model) as place:
            (folder / "code" / "orders.py").write_text(f"# Orders.\n\n{CITED}\n")
            yield place, server


def answer_after(gate: asyncio.Event, answer: Body) -> Fault:
    """An answer that a test holds back."""

    async def later(request: web.Request) -> web.StreamResponse:
        await gate.wait()
        return await send_message(request, request[COMPLETE](answer))

    return later


def read_sessions(place: Place) -> list[Session]:
    """The records of runs, oldest first."""
    with psycopg.connect(place.cluster.local_address("postgres")) as connection:
        rows = connection.execute("select content from triage.sessions order by session_id").fetchall()
    return [Session.model_validate_json(content) for (content,) in rows]


@pytest.mark.long
async def test_the_investigation_of_a_killed_worker_is_ended_by_another(tmp_path: Path) -> None:
    """One card, and the cost of both: of the killed one that of the call that it was in."""
    first = iter((hang,))

    def investigate(turn: int) -> Answer:
        return next(first, GOOD[turn])

    async with open_shop(tmp_path, Play(investigator=(investigate,))) as (place, server):
        leader, doomed = [await place.start(number, *role) for number, role in enumerate((LISTEN, WORK))]
        await asyncio.gather(leader.is_up.wait(), doomed.is_up.wait())
        await until(lambda: leader.led_at)
        ana, ops = Human(place.workspace.url, "U0ANA"), Human(place.workspace.url, "U0OPS")
        await ana.say(QUESTION)
        await server.arrived.wait()
        other = await place.start(2, *WORK)
        await other.is_up.wait()
        doomed.send(signal.SIGKILL)
        await ops.card("Three times")
        investigation, validation = read_sessions(place)
        assert investigation.is_job
        assert investigation.outcome == validation.outcome == "answered"
        assert (investigation.num_turns, validation.num_turns) == (len(GOOD), len(PASSES))
        assert investigation.unsure_usd > validation.unsure_usd == 0.0
        assert len(cards(await ops.now())) == 1


@pytest.mark.long
async def test_a_worker_that_is_ended_at_once_gives_its_job_back(tmp_path: Path) -> None:
    """The next one goes on without waiting for a heartbeat that is missed; its home is free again."""
    first = iter((hang,))

    def investigate(turn: int) -> Answer:
        return next(first, GOOD[turn])

    async with open_shop(tmp_path, Play(investigator=(investigate,))) as (place, server):
        leader, ends = [await place.start(number, *role) for number, role in enumerate((LISTEN, WORK))]
        await asyncio.gather(leader.is_up.wait(), ends.is_up.wait())
        await until(lambda: leader.led_at)
        ana, ops = Human(place.workspace.url, "U0ANA"), Human(place.workspace.url, "U0OPS")
        await ana.say(QUESTION)
        await server.arrived.wait()
        ends.send(signal.SIGINT)
        assert await ends.process.wait() == 0
        await (await place.start(1, *WORK)).is_up.wait()
        await ops.card("Three times")
        investigation, _ = read_sessions(place)
        assert investigation.outcome == "answered"
        assert investigation.unsure_usd > 0


@pytest.mark.long
async def test_a_worker_that_was_stopped_and_wakes_up_saves_nothing(tmp_path: Path) -> None:
    """Another one has the job by then; there is one card, and one answer of each turn counts."""
    gate = asyncio.Event()
    first = iter((answer_after(gate, GOOD[0]),))

    def investigate(turn: int) -> Answer:
        return next(first, GOOD[turn])

    async with open_shop(tmp_path, play := Play(investigator=(investigate,))) as (place, server):
        leader, stopped = [await place.start(number, *role) for number, role in enumerate((LISTEN, WORK))]
        await asyncio.gather(leader.is_up.wait(), stopped.is_up.wait())
        await until(lambda: leader.led_at)
        ana, ops = Human(place.workspace.url, "U0ANA"), Human(place.workspace.url, "U0OPS")
        await ana.say(QUESTION)
        await server.arrived.wait()
        other = await place.start(2, *WORK)
        await other.is_up.wait()
        stopped.send(signal.SIGSTOP)
        await ops.card("Three times")
        gate.set()
        stopped.send(signal.SIGCONT)
        await until(lambda: any("another worker has it" in line for line in stopped.lines))
        assert len(play.of("investigator")) == len(GOOD) + 1  # it asked no more
        assert [session.outcome for session in read_sessions(place)] == ["answered"] * 2
        assert len(cards(await ops.now())) == 1


@pytest.mark.long
async def test_the_investigation_of_a_killed_leader_is_awaited_by_the_next(tmp_path: Path) -> None:
    """The same run, asked once."""
    gate = asyncio.Event()

    def investigate(turn: int) -> Answer:
        return GOOD[turn] if turn else answer_after(gate, GOOD[0])

    async with open_shop(tmp_path, play := Play(investigator=(investigate,))) as (place, server):
        roles = (LISTEN, LISTEN, WORK)
        leader, standby, worker = [await place.start(number, *role) for number, role in enumerate(roles)]
        await asyncio.gather(*(each.is_up.wait() for each in (leader, standby, worker)))
        await until(lambda: leader.led_at or standby.led_at)
        if leader.led_at is None:
            leader, standby = standby, leader
        ana, ops = Human(place.workspace.url, "U0ANA"), Human(place.workspace.url, "U0OPS")
        await ana.say(QUESTION)
        await server.arrived.wait()
        leader.send(signal.SIGKILL)
        await until(lambda: standby.led_at)
        gate.set()
        await ops.card("Three times")
        assert len(play.of("investigator")) == len(GOOD)
        assert [session.outcome for session in read_sessions(place)] == ["answered"] * 2
        assert len(cards(await ops.now())) == 1
