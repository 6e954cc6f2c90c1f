"""Assigners of messages over documents in memory that the state machine changes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.settlement import SettlingWords
from bot.decide.workflow import advance
from bot.intake.alerts import Alerts
from bot.intake.classification import MessageClassifier
from bot.intake.debounce import Debouncer
from bot.intake.thread_assignment import ThreadAssigner
from bot.models.external import External
from bot.models.message import Message
from bot.models.thread import Thread
from bot.models.thread_event import Deleted, Edited, MessageAdded, Overheard
from bot.triage.open_threads import OpenThreads
from tests.builders import ASKER, LIMITS, message
from tests.fakes import HandClock, MemoryJournal, NothingMuted, OneOperator, team

BOT = "U0BOT"
BEN = "U0BEN"
ROOT = "100.000001"
WORDS = replace(LIMITS, settling=SettlingWords())
Event = MessageAdded | Overheard


@dataclass
class Documents:
    """Threads in memory, changed by the state machine."""

    documents: dict[str, Thread] = field(default_factory=dict)
    index: OpenThreads = field(default_factory=OpenThreads)
    events: list[tuple[str, Event]] = field(default_factory=list)
    accepted: list[bool] = field(default_factory=list)
    """For each event: true if it changed anything."""
    before_add: Callable[[Message], Awaitable[None]] | None = None
    """Runs before a message is handed to its thread."""

    def is_open(self, thread_id: str) -> bool:
        """Return whether the thread has work outstanding."""
        return self.index.is_open(thread_id)

    def is_asker(self, thread_id: str, sender_id: str) -> bool:
        """Return whether this person asked its question."""
        return self.index.is_asker(thread_id, sender_id)

    def find_thread(self, channel: str, ts: str) -> str | None:
        """Return the thread that a message joined."""
        return self.index.find_thread(channel, ts)

    def save(self, thread: Thread) -> None:
        """Keep a document."""
        self.documents[thread.thread_id] = thread
        self.index.note(thread)

    async def add(self, thread_id: str, message: Event) -> bool:
        """Apply the event."""
        if self.before_add:
            await self.before_add(message.message)
        self.events.append((thread_id, message))
        step = advance(self.documents.get(thread_id), message, WORDS)
        if step.thread:
            self.save(step.thread)
        self.accepted.append(step.accepted)
        return step.accepted

    async def revise(self, thread_id: str, revision: Edited | Deleted) -> bool:
        """Nothing is edited here."""
        raise AssertionError(revision)

    def assigned(self) -> list[str]:
        """Return the events as `second of the message>second of the thread`, with the flags that are set."""
        return [_describe(home, event) for home, event in self.events]


def _describe(home: str, event: Event) -> str:
    if isinstance(event, Overheard):
        flags = ["overheard", *(["ack"] if event.is_ack else []), *(["replayed"] if event.replayed else [])]
    else:
        names = ("asks", "joins", "mentioned", "is_served", "denies", "muted", "replayed")
        flags = [name for name in names if getattr(event, name)]
    return " ".join([f"{_second(event.message.message_id)}>{_second(home.rpartition('-')[2])}", *flags])


def _second(ts: str) -> str:
    return str(int(ts.partition(".")[0]) - 100)


class MutedThreads(NothingMuted):
    """Threads of which none may be opened."""

    async def allows(self, thread_id: str, *, mentioned: bool, at: Any) -> bool:
        """Allow only mentions."""
        return mentioned

    async def handle_mute_request(self, message: Message) -> bool:
        """Take one word for a request."""
        return message.content == "hush"


LEFT_ALONE = External(asker=True, channel=True, policy="never")
MARKED = External(asker=True, channel=True, policy="allow")


class Company:
    """External people, by their ids."""

    async def find_external(self, message: Message) -> External | None:
        """Return the outsider."""
        return {"U0OUT": LEFT_ALONE, "U0MARKED": MARKED}.get(message.sender.id)

    async def has_external_readers(self, channel: str) -> bool:
        """Nobody else reads here."""
        raise AssertionError(channel)


def assigner(threads: Documents, **changes: Any) -> ThreadAssigner:
    """Build an assigner over documents in memory."""
    clock = HandClock()
    parts: dict[str, Any] = {
        "message_classifier": MessageClassifier(classified=MemoryJournal(), threads=threads, clock=clock),
        "team": team(compile_rules(bot_id=BOT, ack_patterns=(), question_keywords=())),
        "debouncer": Debouncer(timedelta(seconds=2), timedelta(seconds=30)),
        "threads": threads,
        "mutes": NothingMuted(),
        "alerts": Alerts(),
        "clock": clock,
        "operators": OneOperator(),
        "settling": SettlingWords(),
        "externals": Company(),
    }
    return ThreadAssigner(**(parts | changes))


ASKS = "where is the limit set?"


def said(second: float, text: str, sender: str = ASKER, root: int | None = None, **changes: Any) -> Message:
    """Build a message of this second; `root` is the second of the message whose thread it is in."""
    place = {"root": f"{100 + root}.000001"} if root is not None else {}
    mentions = (BOT,) if f"<@{BOT}>" in text else ()
    return message(text, ts=f"{100 + second:.0f}.000001", sender=sender, mentions=mentions, **place, **changes)
