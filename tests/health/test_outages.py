"""Outages on disk: services that fail at once save their sessions without getting in each other's way."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest

from bot.adapters.sessions import SessionFiles
from bot.health.outages import Outages
from tests.fakes import HandClock
from tests.health.service_bench import Bench

if TYPE_CHECKING:
    from pathlib import Path

GROUPS = ("shop", "mail", "search", "queue", "cache")


async def test_an_outage_that_a_crash_cut_off_is_not_left_running(tmp_path: Path) -> None:
    """Its session was saved, and no state names it; another agent's session is not touched."""
    files, clock = SessionFiles(tmp_path), HandClock()
    outages = Outages(sessions=files, clock=clock)
    outages.count("shop", is_unhealthy=True)
    await outages.save()
    (session,) = await files.list_since(clock.now().date())
    await files.save(session.evolve(session_id=f"{session.session_id}x", agent="investigator"))
    await Outages(sessions=files, clock=clock).load((), {})
    assert [(each.agent, each.outcome) for each in await files.list_since(clock.now().date())] == [
        ("checks", "died"),
        ("investigator", "running"),
    ]


async def test_services_that_fail_at_once_save_each_session_without_a_failure(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Each service saves after its own run; the files have the newest state, and nothing is left to save."""
    files = SessionFiles(tmp_path)
    outages = Outages(sessions=files, clock=HandClock())

    async def fail(group: str) -> None:
        outages.count(group, is_unhealthy=True)
        await outages.save()
        outages.note_thread(outages.find(group) or "", "T1-C1-1.0")
        await outages.save()

    with caplog.at_level(logging.WARNING):
        await asyncio.gather(*(fail(group) for group in GROUPS))
    ids = [outages.find(group) or "" for group in GROUPS]
    assert [session.thread_id for session in await files.read(ids)] == ["T1-C1-1.0"] * len(GROUPS)
    assert (caplog.messages, [*tmp_path.glob("*.tmp")]) == ([], [])


@pytest.mark.parametrize("are_states_saved", [True, False])
async def test_an_outage_that_has_ended_stays_ended_after_a_kill(tmp_path: Path, *, are_states_saved: bool) -> None:
    """Also if the bot is killed soon after the recovery, or between the save of the session and of the state."""
    bench = await Bench(tmp_path / "home").start()
    await bench.story("UUH", every=10)
    file = bench.folder / "services.json"
    before = file.read_bytes()
    await bench.story("H", every=10)
    if not are_states_saved:
        file.write_bytes(before)
    await bench.orchestrator.stop()
    await bench.start()
    await bench.story("HH", every=10)
    (session,) = await bench.sessions()
    assert (session.outcome, session.duration_ms, session.num_turns) == ("answered", 30_000, 4)
    assert bench.services.list_states()[0].session_id is None
    await bench.stop()
