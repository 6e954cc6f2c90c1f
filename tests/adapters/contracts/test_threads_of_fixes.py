"""Documents of closed threads whose fix is under way: found at the start, and not removed meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from bot.models.purge_criterion import Criterion
from bot.models.settlement import ClosedThread
from bot.models.thread import Thread
from bot.models.thread_event import Dismiss
from tests.adapters.contracts.backends import Backend
from tests.builders import moved
from tests.decide.test_workflow import press
from tests.fixes import discarded, drafting, fix_of, opened, opening, proposed, stopping, with_defect

LATER = datetime(2100, 1, 1, tzinfo=UTC)


def closed(make: Callable[[], Thread]) -> Thread:
    """The thread, dismissed, with its card up to date."""
    thread = make()
    thread = moved(thread, press(Dismiss, thread))
    return thread.evolve(card=thread.card.evolve(drawn=thread.revision), marks=())


def shown(thread: Thread) -> Thread:
    """The thread with the message of its fix up to date."""
    fix = fix_of(thread)
    return thread.evolve(fix=fix.evolve(card=fix.card.evolve(drawn=fix.revision)))


@pytest.mark.parametrize(
    ("thread", "is_done"),
    [
        (closed(with_defect), True),
        (closed(drafting), False),
        (closed(proposed), False),
        (shown(closed(proposed)), True),
        (shown(closed(opening)), False),
        (shown(closed(opened)), True),
        (closed(discarded), False),
        (closed(stopping), False),
    ],
    ids=["none", "drafting", "proposed", "proposed, shown", "opening", "opened", "discarded", "stopping"],
)
async def test_a_closed_thread_is_read_whole_until_its_fix_is_done(
    thread: Thread, is_done: bool, backend: Backend
) -> None:
    """At the start; an unreadable fix is read with its document."""
    store = backend.storage.store(None)
    await store.save(thread)
    ((_, found),) = [each async for each in store.threads()]
    assert isinstance(found, ClosedThread) is is_done


@pytest.mark.parametrize(
    ("make", "is_kept"), [(drafting, True), (opening, True), (stopping, True), (opened, False), (proposed, False)]
)
async def test_a_thread_is_not_removed_while_its_fix_is_under_way(
    make: Callable[[], Thread], is_kept: bool, backend: Backend
) -> None:
    """Neither by age nor by a command."""
    store = backend.storage.store(None)
    name = (await store.save(closed(make))).thread_id
    if is_kept:
        await backend.storage.purge(Criterion(before=LATER), really=True)
    assert await store.remove_closed(LATER) == ([] if is_kept else [name])
    assert await store.remove(name) is not is_kept
