"""Reminders: one message for all that waits, at most one in the interval, and none that is out of date."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.decide.redaction.redactor import Redactor
from bot.errors import RetryLater
from bot.models.thread import Thread
from bot.surfaces.reminders import MAX_LISTED, Reminders
from bot.triage.open_threads import OpenThreads
from tests.decide import test_workflow as story
from tests.fakes import HandClock, MemoryKept, MemoryStore, settle

HOUR = 3_600


class Inbox:
    """A `Chat` with direct messages, and the operators' threads."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.store = MemoryStore()
        self.threads = OpenThreads()
        self.posted: dict[str, dict[str, Any]] = {}
        self.down = False
        self._posts = 0
        self.kept = MemoryKept()
        self.reminders = self.started()

    def started(self) -> Reminders:
        """Reminders of a bot that starts with what was kept."""
        chat: Any = self
        return Reminders(
            chat=chat,
            store=self.store,
            clock=self.clock,
            open_threads=self.threads,
            url="https://acme.slack.com/",
            interval=timedelta(hours=1),
            state_file=self.kept,
        )

    async def open_dm(self, user: str) -> str:
        """Somebody's direct message."""
        return f"D{user}"

    async def post(self, **said: Any) -> str:
        """Post a reminder."""
        if self.down:
            raise RetryLater("down")
        self._posts += 1
        self.posted[str(self._posts)] = said
        return str(self._posts)

    async def delete(self, *, ts: str, **_: Any) -> None:
        """Take one away."""
        del self.posted[ts]

    def has(self, thread: Thread) -> Thread:
        """This is the state of a thread now."""
        self.store.saved[thread.thread_id] = thread
        self.threads.note(thread)
        return thread

    @property
    def texts(self) -> list[str]:
        """What stands in the direct messages."""
        return [said["text"] for said in self.posted.values()]


async def test_however_many_cards_are_due_there_is_one_reminder() -> None:
    """It names the oldest and says how many there are; each line has a button, and a link to the question."""
    inbox = Inbox()
    waiting = [inbox.has(story.pending(ts=f"{100 + n}.000001")) for n in range(40)]
    await inbox.clock.move(2 * HOUR)
    for thread in waiting:
        await inbox.reminders.remind(thread)
    (said,) = inbox.posted.values()
    assert said["text"].startswith("40 questions wait for your decision, the oldest for 1 h. The oldest: Ana in #help")
    shown = [block for block in said["blocks"] if "accessory" in block]
    assert len(shown) == MAX_LISTED
    assert "https://acme.slack.com/archives/C0HELP/p100000001" in shown[0]["text"]["text"]


async def test_no_half_of_a_secret_stands_in_a_reminder() -> None:
    """A question is cut where its line ends, after what is secret was taken out of it."""
    inbox, secret = Inbox(), "a-loaded" + "-secret-0815"
    inbox.reminders.redactor = Redactor([secret])
    thread = story.pending()
    said = thread.messages[0].evolve(content=f"{'why ' * 35}{secret}?")
    await inbox.reminders.remind(inbox.has(thread.evolve(messages=(said,))))
    assert secret[:6] not in str(inbox.posted)
    assert "[redacted" in str(inbox.posted)


async def test_the_next_reminder_takes_the_place_of_the_one_before() -> None:
    """And comes when the interval is over, not sooner."""
    inbox = Inbox()
    thread = inbox.has(story.pending())
    for _ in range(4):
        await inbox.reminders.remind(thread)
        await inbox.clock.move(HOUR / 2)
    assert [text.partition(". ")[0] for text in inbox.texts] == ["1 question waits for your decision"]
    assert [*inbox.posted] == ["2"]


async def test_each_operator_has_reminders_of_their_own() -> None:
    """Of their own questions."""
    inbox = Inbox()
    mine = inbox.has(story.pending())
    hers = inbox.has(story.pending(ts="200.000001").evolve(operator="U0EVE"))
    await inbox.reminders.remind(mine)
    await inbox.reminders.remind(hers)
    assert [said["channel"] for said in inbox.posted.values()] == ["DU0OPS", "DU0EVE"]
    assert [text.partition(". ")[0] for text in inbox.texts] == ["1 question waits for your decision"] * 2


@pytest.mark.parametrize("gone", [lambda _: story.approved(), lambda thread: thread.evolve(operator="U0EVE")])
async def test_a_reminder_goes_when_nothing_waits_any_more(gone: Any) -> None:
    """It would say what is no longer so: it was decided, or passed to somebody else."""
    inbox = Inbox()
    thread = inbox.has(story.pending())
    await inbox.reminders.remind(thread)
    inbox.reminders.note_change()
    await settle()
    assert inbox.texts
    inbox.has(gone(thread))
    inbox.reminders.note_change()
    await settle()
    assert inbox.texts == []


async def test_a_reminder_that_fails_is_not_made_up_for() -> None:
    """The next one comes in its time."""
    inbox = Inbox()
    thread = inbox.has(story.pending())
    inbox.down = True
    await inbox.reminders.remind(thread)
    inbox.down = False
    await inbox.reminders.remind(thread)
    assert inbox.texts == []
    await inbox.clock.move(HOUR)
    await inbox.reminders.remind(thread)
    assert len(inbox.texts) == 1


async def test_a_restart_forgets_no_reminder() -> None:
    """The next one comes in its time, and the one before it goes; so does one for which nothing waits any more."""
    inbox = Inbox()
    thread = inbox.has(story.pending())
    for _ in range(4):
        await inbox.reminders.remind(thread)
        inbox.reminders = inbox.started()
        await inbox.clock.move(HOUR / 2)
    assert [*inbox.posted] == ["2"]
    inbox.has(story.approved())
    await inbox.reminders.begin()
    assert inbox.texts == []


@pytest.mark.parametrize("kept", [{"U0OPS": "x"}, {"U0OPS": {"last": 5}}, {"U0OPS": {"ts": "1.000001"}}])
async def test_what_was_kept_and_is_none_is_passed_over(kept: Any) -> None:
    """A reminder comes all the same."""
    inbox = Inbox()
    inbox.kept.said = kept
    await inbox.reminders.remind(inbox.has(story.pending()))
    assert len(inbox.texts) == 1
