"""Draining before a restart: what is under way ends, and nothing new is investigated."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.decide.workflow import resume
from bot.models import effect as effects
from bot.models.effect import CheckFindings, Investigate
from bot.triage.effect_tasks import EffectTasks
from tests.builders import found
from tests.fakes import settle
from tests.triage.test_orchestrator import Desk


async def test_a_run_under_way_ends_with_its_check_and_no_other_begins() -> None:
    """The next start takes the others up, from their documents."""
    desk = Desk()
    home = await desk.open("1.1")
    draining = asyncio.create_task(desk.orchestrator.drain(60))
    await settle()
    late = await desk.open("2.1")
    assert [type(effect) for _, effect in desk.effects.started] == [Investigate]
    assert not draining.done()
    thread = desk.store.saved[home]
    desk.effects.held[thread.run_id or ""].set_result(found(thread))
    assert await draining == 0
    assert [type(effect) for _, effect in desk.effects.started] == [Investigate, CheckFindings]
    waiting = desk.store.saved[late]
    assert isinstance(resume(waiting), Investigate)
    await desk.orchestrator.stop()


async def test_a_run_that_does_not_end_in_time_is_counted() -> None:
    """It is repeated at the next start."""
    desk = Desk()
    await desk.open("1.1")
    assert await desk.orchestrator.drain(0) == 1
    await desk.orchestrator.stop()
    assert len(desk.effects.cancelled) == 1


async def test_without_work_it_ends_at_once() -> None:
    """Nothing is waited for."""
    assert await Desk().orchestrator.drain(60) == 0


@pytest.mark.parametrize(("kind", "left"), [("Escalate", 0), ("DraftFix", 0), ("Investigate", 1), ("PostReply", 1)])
async def test_a_run_in_a_process_of_its_own_is_not_waited_for(kind: str, left: int) -> None:
    """It goes on while the bot is away, and counts as a run; a reply is none."""
    fields: dict[str, Any] = {"run_id": "r1"} if kind != "PostReply" else {}
    tasks = EffectTasks()
    work = asyncio.create_task(asyncio.sleep(3_600), name="work")
    tasks.add("T-C-1.1", getattr(effects, kind)(**fields), work)
    assert await tasks.drain([work], 0) == left
    assert tasks.running == (kind != "PostReply")
    work.cancel()
