"""Edits and deletions: each takes effect once, in the order of the messages, across crashes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from bot.errors import RetryLater
from bot.intake.in_progress import Turns
from bot.intake.late_messages import EarlyRevisions
from bot.models.thread_event import Edited
from tests.builders import message
from tests.intake.test_watcher import OpenThread, intake, watcher

if TYPE_CHECKING:
    from bot.intake.watcher import Watcher
    from bot.models.thread_event import Deleted

TS = "101.000000"


def posted(text: str) -> dict[str, Any]:
    """Build the event of the message."""
    event = {"type": "message", "channel": "C0HELP", "user": "U0ANA", "ts": TS, "text": text}
    return {"type": "event_callback", "team_id": "T0A", "event_id": "EvFirst", "event": event}


def edited(before: str, after: str, number: int = 1) -> dict[str, Any]:
    """Build the event of an edit of the message."""
    old, new = (posted(text)["event"] for text in (before, after))
    event = {"type": "message", "subtype": "message_changed", "channel": "C0HELP", "ts": f"20{number}.000000"}
    event |= {"message": new | {"edited": {"user": "U0ANA", "ts": event["ts"]}}, "previous_message": old}
    return {"type": "event_callback", "team_id": "T0A", "event_id": f"EvEdit{number}", "event": event}


def deleted() -> dict[str, Any]:
    """Build the event of the message's deletion."""
    event = {"type": "message", "subtype": "message_deleted", "channel": "C0HELP", "ts": "209.000000"}
    event |= {"deleted_ts": TS, "previous_message": posted("where is A set?")["event"]}
    return {"type": "event_callback", "team_id": "T0A", "event_id": "EvGone", "event": event}


class Revised(OpenThread):
    """Thread that keeps its revisions."""

    def __init__(self) -> None:
        super().__init__()
        self.revisions: list[str] = []

    async def revise(self, thread_id: str, revision: Edited | Deleted) -> bool:
        """Keep the text of an edit, or the id of what was deleted."""
        self.revisions.append(revision.message.content if isinstance(revision, Edited) else "deleted")
        return True


def restarted(before: Watcher) -> tuple[Watcher, Revised]:
    """Build the watcher of the next process, over the same journals."""
    after = watcher(threads := Revised())
    after.events, after.classified = before.events, before.classified
    return after, threads


CHANGES = [edited("where is A set?", "where is B set?"), edited("where is B set?", "where is C set?", 2), deleted()]
EFFECTS = ["where is B set?", "where is C set?", "deleted"]


@pytest.mark.parametrize("handled", range(4))
async def test_a_start_applies_what_a_crash_left_and_nothing_else(handled: int) -> None:
    """The record of an edit is on disk before its effect, and its end after it; a second start applies nothing."""
    first = watcher(threads := Revised())
    dispatcher = intake(first)
    await dispatcher.handle(await dispatcher.record(posted("where is A set?")))
    for number, body in enumerate(CHANGES):
        received = await dispatcher.record(body)
        if number < handled:
            await dispatcher.handle(received)
    second, recovered = restarted(first)
    await intake(second).recover()
    third, later = restarted(second)
    await intake(third).recover()
    assert (threads.revisions, recovered.revisions, later.revisions) == (EFFECTS[:handled], EFFECTS[handled:], [])


async def test_an_edit_that_failed_is_applied_when_it_comes_again() -> None:
    """Its end is not recorded."""

    class Failing(Revised):
        async def revise(self, thread_id: str, revision: Edited | Deleted) -> bool:
            """Fail."""
            raise RetryLater("the disk is full")

    dispatcher = intake(first := watcher(Failing()))
    received = await dispatcher.record(CHANGES[0])
    with pytest.raises(RetryLater):
        await dispatcher.handle(received)
    second, recovered = restarted(first)
    await intake(second).recover()
    assert recovered.revisions == EFFECTS[:1]


@pytest.mark.parametrize(
    ("changes", "texts"),
    [
        pytest.param([CHANGES[0]], ["where is B set?"], id="edited"),
        pytest.param(CHANGES[:2], ["where is C set?"], id="edited twice"),
        pytest.param([CHANGES[2]], [], id="deleted"),
        pytest.param(CHANGES, [], id="edited and deleted"),
    ],
)
async def test_a_message_that_comes_after_its_edit_counts_as_edited(
    changes: list[dict[str, Any]], texts: list[str]
) -> None:
    """Slack may deliver an event again, after later ones."""

    class Closed(Revised):
        def is_open(self, thread_id: str) -> bool:
            """Nothing is open."""
            return False

    dispatcher = intake(watcher(threads := Closed()))
    for body in (*changes, posted("where is A set?"), posted("where is A set?")):
        await dispatcher.handle(await dispatcher.record(body))
    assert [added.message.content for added in threads.messages] == texts


async def test_a_message_that_its_edit_made_a_question_is_not_added_again() -> None:
    """The question has the newer text."""
    dispatcher = intake(watcher(threads := Revised()))
    for body in (CHANGES[0], posted("where is A set?")):
        await dispatcher.handle(await dispatcher.record(body))
    assert (threads.revisions, threads.messages) == (EFFECTS[:1], [])


def test_early_revisions_are_kept_up_to_a_number() -> None:
    """The oldest is dropped first."""
    early = EarlyRevisions(capacity=2)
    first, second, third = (message("new", ts=f"{number}.000001") for number in (1, 2, 3))
    for revised in (first, second, third):
        early.keep(revised)
    old = [message("old", ts=each.message_id) for each in (first, second, third)]
    assert [written and written.content for written in map(early.take, old)] == ["old", "new", "new"]


async def test_what_happens_to_one_message_is_handled_in_order() -> None:
    """An edit waits for the message, and for the edit before it; other messages do not wait."""
    turns, done, may_end = Turns(), list[str](), asyncio.Event()

    async def handle(name: str, step: str) -> None:
        async with turns.take(name):
            if step == "posted":
                await may_end.wait()
            done.append(f"{name} {step}")

    steps = [("a", "posted"), ("a", "edited"), ("b", "edited"), ("a", "edited again")]
    async with asyncio.TaskGroup() as group:
        for name, step in steps:
            group.create_task(handle(name, step))
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert done == ["b edited"]
        may_end.set()
    assert done[1:] == ["a posted", "a edited", "a edited again"]
    assert not turns._last
