"""The day's figures: from midnight of the team's zone, and decisions only."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.models.cost import Cost
from bot.reports.metrics import Sources
from bot.reports.today import DayFigures, midnight, read_spending
from tests.agents.test_ledger import session
from tests.decide import test_workflow as story
from tests.fakes import HandClock, MemoryJournal, MemorySessions, MemoryStore

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
CLOCK = HandClock()
CLOCK.set_back((CLOCK.now() - NOW).total_seconds())


@pytest.mark.parametrize(
    ("now", "zone", "expected"),
    [
        ("2026-01-05 12:00", "UTC", "2026-01-05 00:00"),
        ("2026-01-05 23:30", "Europe/Berlin", "2026-01-05 23:00"),
        ("2026-03-29 12:00", "Europe/Berlin", "2026-03-28 23:00"),
        ("2026-03-30 12:00", "Europe/Berlin", "2026-03-29 22:00"),
        ("2026-01-05 03:00", "America/New_York", "2026-01-04 05:00"),
    ],
)
def test_a_day_begins_by_the_clock_on_the_wall(now: str, zone: str, expected: str) -> None:
    """Also on the days on which that clock is set."""
    at, begins = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (now, expected))
    assert midnight(at, zone) == begins


def sources(audit: MemoryJournal, store: MemoryStore) -> Sources:
    """An audit and documents beside which nothing was recorded."""
    empty = {name: MemoryJournal() for name in ("classified", "replies", "labels", "feedback")}
    return Sources(audit=audit, store=store, sessions=MemorySessions(), **empty)


async def test_only_what_was_decided_today_counts() -> None:
    """No command, no dialog that was only opened, no press that was refused, nothing of yesterday."""
    audit, store = MemoryJournal(), MemoryStore()
    done = {"result": "done", "at": "2026-01-05T09:00:00+00:00"}
    audit.kept = [
        {**done, "action": "approve", "channel_id": "D1"},
        {**done, "action": "post_anyway", "channel_id": "D1"},
        {**done, "action": "approve_and_save", "channel_id": "D1"},
        {**done, "action": "bounce", "channel_id": "D1"},
        {**done, "action": "bounce"},
        {**done, "action": "approve", "channel_id": "D1", "result": "too late"},
        {**done, "action": "approve", "channel_id": "D1", "at": "2026-01-04T23:59:00+00:00"},
        {**done, "action": "pause", "kind": "command"},
        {"action": "approve"},
    ]
    for thread in (story.pending(ts=f"{NOW.timestamp():.0f}.000001"), story.pending(ts="100.000001")):
        store.saved[thread.thread_id] = thread
    found = await DayFigures(sources=sources(audit, store), clock=CLOCK, zone="UTC").count()
    assert (found.drafts, found.approved, found.bounced, found.cost.usd) == (1, 3, 1, 0)


async def test_an_edit_is_no_draft_of_the_day() -> None:
    """Nor is what was drafted yesterday."""
    store = MemoryStore()
    thread = story.pending(ts=f"{NOW.timestamp():.0f}.000001")
    store.saved[thread.thread_id] = thread.evolve(drafts_made=3)
    found = await DayFigures(sources=sources(MemoryJournal(), store), clock=CLOCK, zone="UTC").count()
    assert found.drafts == 1


async def test_what_was_spent_is_read_once_and_ends_with_its_day() -> None:
    """Yesterday's runs do not count, later looks read nothing, and after midnight (UTC) nothing is spent yet."""
    clock = HandClock()
    sessions = MemorySessions(session(cost_usd=0.25), session(2, cost_usd=None, held_usd=0.5))
    spent = await read_spending(None, sessions, clock)
    sessions.kept.clear()
    assert spent.today == Cost(usd=0.75, unsure_usd=0.5)
    await clock.move(24 * 3600)
    assert spent.today == Cost()
    assert (await read_spending(None, MemorySessions(session(cost_usd=0.25)), clock)).today == Cost()
