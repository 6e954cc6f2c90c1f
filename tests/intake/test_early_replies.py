"""Replies that come before their question, as Slack may deliver them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from bot.intake.early_replies import EarlyReplies
from bot.models.thread_event import MessageAdded, Overheard
from tests.builders import message
from tests.fakes import MemoryJournal
from tests.intake.test_watcher import OpenThread, deliver, intake, said, watcher


@dataclass
class ClosedAtFirst(OpenThread):
    """Threads that a question opens, for its asker."""

    opened: set[str] = field(default_factory=set)

    def is_open(self, thread_id: str) -> bool:
        """Return whether a question was handed to it."""
        return thread_id in self.opened

    def is_asker(self, thread_id: str, sender_id: str) -> bool:
        """Only Ana asks."""
        return thread_id in self.opened and sender_id == "U0ANA"

    def find_thread(self, channel: str, ts: str) -> str | None:
        """The thread that it was handed to."""
        return next((added.message.home for added in self.messages if added.message.message_id == ts), None)

    async def add(self, thread_id: str, message: MessageAdded | Overheard) -> bool:
        """Open it."""
        self.opened.add(thread_id)
        return await super().add(thread_id, message)

    def seen(self) -> list[str]:
        """The messages that were handed on."""
        return [added.message.message_id for added in self.messages]


def reply(ts: str, user: str = "U0ANA") -> dict[str, Any]:
    """Something that asks nothing by itself."""
    body = said(ts)
    event = {**body["event"], "text": "deployed v3 to staging", "user": user}
    return {**body, "event": event, "event_id": f"Ev{ts}"}


def question() -> dict[str, Any]:
    """The message that opens the thread."""
    body = said("100.000001")
    event = {key: value for key, value in body["event"].items() if key != "thread_ts"}
    return {**body, "event": {**event, "text": "how do I reset my token?"}, "event_id": "Ev100"}


async def test_what_the_asker_added_before_joins_the_question() -> None:
    """In the order of writing; what others said there stays theirs."""
    threads = ClosedAtFirst()
    await deliver(watcher(threads), reply("103.000000"), reply("102.000000"), reply("101.000000", "U0BOB"), question())
    assert threads.seen() == ["100.000001", "102.000000", "103.000000"]


class SlowJournal(MemoryJournal):
    """A journal that writes the record of one message only after an event."""

    def __init__(self, message_id: str, event: asyncio.Event) -> None:
        super().__init__()
        self._message_id, self._event = message_id, event

    async def append(self, record: dict[str, Any], *, may_be_lost: bool = False) -> None:
        """Keep the record once it may be kept."""
        if record["message_id"] == self._message_id:
            await self._event.wait()
        await super().append(record, may_be_lost=may_be_lost)


async def test_a_reply_that_is_judged_while_its_question_opens_the_thread_joins_it() -> None:
    """The judgement is written slowly, and the thread is open when it is done."""
    threads = ClosedAtFirst()
    one = watcher(threads)
    slow = asyncio.Event()
    one.classified = SlowJournal("101.000000", slow)
    late = asyncio.create_task(deliver(one, reply("101.000000")))
    await asyncio.sleep(0)
    await deliver(one, question())
    slow.set()
    await late
    assert threads.seen() == ["100.000001", "101.000000"]


async def test_an_early_reply_survives_a_restart() -> None:
    """It was judged before the process died, and its question comes after."""
    threads = ClosedAtFirst()
    before = watcher(threads)
    await deliver(before, reply("101.000000"))
    after = watcher(threads)
    after.events, after.classified = before.events, before.classified
    await intake(after).recover()
    await deliver(after, question())
    assert threads.seen() == ["100.000001", "101.000000"]


def test_the_oldest_are_forgotten_first() -> None:
    """Nobody's chatter fills the memory."""
    early = EarlyReplies(capacity=2)
    for ts in ("101.000000", "102.000000", "103.000000"):
        early.keep(message("x", ts=ts, root="100.000001"))
    assert [kept.message_id for home in early.homes() for kept in early.take(home)] == ["102.000000", "103.000000"]
    assert early.homes() == set()
