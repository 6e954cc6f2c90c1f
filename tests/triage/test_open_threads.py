"""Counts of open threads for monitoring."""

from __future__ import annotations

from tests.builders import found, validated
from tests.fakes import settle
from tests.triage.test_orchestrator import Desk


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
