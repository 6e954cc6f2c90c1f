"""Counts of open threads for monitoring."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, get_args

from bot.models.queue_order import waits_since
from bot.models.status import Status
from bot.models.status_change import StatusChange
from bot.models.task_status import find_task_status
from bot.models.thread import Thread
from bot.triage import open_counts
from bot.triage.open_counts import OpenCounts
from tests.builders import T0, added, found, moved, validated
from tests.decide.test_task_events import ordered
from tests.fakes import settle
from tests.triage.test_orchestrator import Desk

if TYPE_CHECKING:
    import pytest


async def test_the_oldest_question_is_the_one_that_began_first() -> None:
    """One with a draft waits for people, and is a card; the oldest is then the next one."""
    desk = Desk()
    first, second = [await desk.open(ts) for ts in ("1.1", "2.1")]
    index = desk.orchestrator.open_threads
    began = {name: desk.store.saved[name].status_history[0].at for name in (first, second)}
    assert index.oldest("investigating") == min(began.values())
    assert (index.oldest("collecting"), index.cards_waiting) == (None, 0)
    await desk.orchestrator.submit(first, found(desk.store.saved[first]))
    await desk.orchestrator.submit(first, validated(desk.store.saved[first]))
    await settle()
    assert desk.store.saved[first].status == "pending-user"
    assert index.oldest("investigating") == began[second]
    assert index.cards_waiting == 1
    await desk.orchestrator.stop()


_STATUSES: tuple[Status, ...] = get_args(Status)


def _document(name: str, chance: random.Random) -> Thread:
    """A question or a created task in some status, since some time."""
    thread = ordered() if chance.random() < 0.3 else moved(None, added())
    status, began = chance.choice(_STATUSES), T0 + timedelta(seconds=chance.randrange(9))
    return thread.model_copy(
        update={
            "thread_id": f"T0SANDBOX-C0HELP-{name}.1",
            "status": status,
            "held_low": chance.random() < 0.5,
            "status_history": (StatusChange(at=began, previous="new", next=status),),
        }
    )


def test_the_counts_are_those_of_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often each has changed, and whatever is left of its earlier states."""
    monkeypatch.setattr(open_counts, "_SPARE", 3)
    chance, counts, documents = random.Random(7), OpenCounts(), dict[str, Thread]()
    made = {name: [_document(name, chance) for _ in range(6)] for name in map(str, range(12))}
    for _ in range(600):
        name = chance.choice([*made])
        documents[name] = chance.choice(made[name])
        counts.note(documents[name])
        is_open = [each for each in documents.values() if each.is_open]
        assert counts.statuses() == Counter(each.status for each in is_open)
        assert counts.task_statuses() == Counter(find_task_status(each) for each in is_open)
        assert counts.cards == sum(each.status == "pending-user" and not each.held_low for each in is_open)
        wanted = chance.sample(_STATUSES, 2)
        asked = [waits_since(each) for each in is_open if each.status in wanted and not each.is_about_order]
        assert counts.oldest(*wanted) == min(asked, default=None)
