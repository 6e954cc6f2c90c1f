"""Probes of a process, on a bot of which only these parts count."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from bot.runtime.acks import PendingAcks
from bot.runtime.draining import Draining
from bot.wiring.probes import Probes, add_up_agents


def build_probes(*, connected: bool = True, owned: bool = True, draining: bool = False, broken: bool = False) -> Probes:
    """Probes of a bot in this state."""

    async def is_connected() -> bool:
        return connected

    stop: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    if broken:
        stop.set_result(None)
    core = SimpleNamespace(
        draining=Draining(), stop=SimpleNamespace(future=stop), listeners=SimpleNamespace(connected=is_connected)
    )
    if draining:
        core.draining.begin()
    home: Any = SimpleNamespace(is_owned=owned)
    bot: Any = SimpleNamespace(core=core)
    return Probes(home=home, bot=bot)


@pytest.mark.parametrize(
    ("state", "obstacle"),
    [
        ({}, ""),
        ({"connected": False}, "not connected to Slack"),
        ({"owned": False}, "the home is not this process's any more"),
        ({"draining": True, "connected": False}, "draining"),
        ({"broken": True}, "ending after an error"),
    ],
)
async def test_what_keeps_work_away(state: dict[str, bool], obstacle: str) -> None:
    """The first reason is enough."""
    assert await build_probes(**state).find_obstacle() == obstacle


async def test_a_standby_and_a_worker_have_figures_of_their_own() -> None:
    """Acks of what it takes in, and whether Slack reaches it; what the leader counts is not counted twice."""
    acks = PendingAcks()
    acks.durations.add(0.02)
    standby, worker = build_probes(), build_probes()
    intake: Any = SimpleNamespace(acks=acks, listeners=standby.bot.core.listeners if standby.bot else None)
    standby.bot, standby.intake = None, intake
    worker.bot, worker.works = None, True
    found = [await probes.read_figures() for probes in (standby, worker)]
    assert [figures and (figures.connected, sum(figures.acks.counts)) for figures in found] == [(True, 1), (False, 0)]
    assert [figures and (figures.open_threads, figures.usd_cap) for figures in found] == [({}, None)] * 2


@pytest.mark.parametrize(("answers", "obstacle"), [(True, ""), (False, "the database does not answer")])
async def test_a_replica_takes_no_work_without_its_database(answers: bool, obstacle: str) -> None:
    """Nothing that Slack delivers could be stored."""
    probes = build_probes()
    lease: Any = SimpleNamespace(is_answered=answers)
    probes.lease = lease
    assert await probes.find_obstacle() == obstacle


async def test_a_bot_that_has_not_started_takes_no_work_and_has_no_figures() -> None:
    """It lives all the same."""
    probes = build_probes()
    probes.bot = None
    assert (probes.find_fault(), await probes.find_obstacle()) == ("", "starting")
    assert await probes.read_figures() is None


async def test_a_late_loop_is_a_fault() -> None:
    """From five seconds on."""
    probes, now = build_probes(), asyncio.get_running_loop().time()
    probes.lateness.expect(now - 4)
    assert probes.find_fault() == ""
    probes.lateness.expect(now - 7)
    assert probes.find_fault() == "the event loop is 7.0 s late"


def test_agents_that_are_not_known_are_one() -> None:
    """So that labels stay few."""
    costs = add_up_agents({"chat": 0.25, "checks": 0.1, "x": 0.2})
    assert {agent: usd for agent, usd in costs.items() if usd} == {"chat": 0.25, "other": 0.3}
