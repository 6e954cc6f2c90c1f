"""Merge requests that a forge reports: recorded, told once, and told again after a crash."""

from __future__ import annotations

from bot.models.opened_merge_request import OpenedMergeRequest
from tests.decide.hooks.test_events import opened
from tests.intake.test_watcher import OpenThread, intake, watcher


class Observer:
    """Observer with a memory."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def note_merge_request(self, opened: OpenedMergeRequest) -> None:
        """Keep its number."""
        self.numbers.append(opened.number)


async def test_each_is_told_once() -> None:
    """However often a forge reports it."""
    observer = Observer()
    dispatcher = intake(watcher(OpenThread()), merge_requests=observer)
    for number in (12, 12, 13):
        await dispatcher.handle(await dispatcher.record(opened(number=number).as_payload()))
    assert observer.numbers == [12, 13]


async def test_what_was_acknowledged_before_a_crash_is_told_after_it() -> None:
    """From its record, once; a later report of it is a duplicate."""
    before, after, observer = watcher(OpenThread()), watcher(OpenThread()), Observer()
    for _ in range(2):
        await intake(before).record(opened().as_payload())
    after.events = before.events
    dispatcher = intake(after, merge_requests=observer)
    assert await dispatcher.recover() == 1
    await dispatcher.handle(await dispatcher.record(opened().as_payload()))
    assert observer.numbers == [12]
