"""The watcher at a start: what it makes of records that a process left behind when it died."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from bot.decide.classify.classifier import compile_rules
from bot.intake import deduplication
from bot.intake.dispatcher import Dispatcher
from bot.intake.watched import Watched
from bot.intake.watcher import Watcher
from bot.models.message import Message
from bot.models.thread_event import Deleted, Edited, MessageAdded, Overheard
from tests.fakes import HandClock, MemoryJournal, NobodyCommands, NothingMuted, OneOperator, team

if TYPE_CHECKING:
    import pytest

    from bot.ports.outbound import Journal


@dataclass
class OpenThread:
    """Threads of which each is open, and the messages that were handed to them."""

    messages: list[MessageAdded | Overheard] = field(default_factory=list)

    def is_open(self, thread_id: str) -> bool:
        """Each has work outstanding."""
        return True

    def is_asker(self, thread_id: str, sender_id: str) -> bool:
        """Whatever is said may concern the question."""
        return True

    def find_thread(self, channel: str, ts: str) -> str | None:
        """Nothing joins here."""
        return None

    async def add(self, thread_id: str, message: MessageAdded | Overheard) -> bool:
        """Keep it."""
        self.messages.append(message)
        return True

    async def revise(self, thread_id: str, revision: Edited | Deleted) -> bool:
        """Nothing is revised here."""
        return False


def watcher(threads: OpenThread) -> Watcher:
    """A watcher of one channel, over journals in memory."""
    return Watcher(
        events=MemoryJournal(),
        classified=MemoryJournal(),
        team=team(compile_rules(bot_id="U0BOT", ack_patterns=(), question_keywords=())),
        threads=threads,
        commands=NobodyCommands(),
        mutes=NothingMuted(),
        clock=HandClock(),
        watched={"C0HELP": Watched("help", "live")},
        operators=OneOperator(),
    )


def intake(watcher: Watcher, *, audit: Journal | None = None, **handlers: Any) -> Dispatcher:
    """A dispatcher over a watcher; a payload whose handler the test does not name breaks."""
    names = {each.name for each in fields(Dispatcher)} - {"watcher", "reactions", "audit", "_seen_on_screens"}
    named = {**dict.fromkeys(names), "commands": watcher.commands, "reactions": (), **handlers}
    return Dispatcher(watcher=watcher, audit=audit or MemoryJournal(), **named)


async def deliver(watcher: Watcher, *bodies: dict[str, Any]) -> None:
    """Record and handle payloads, one after another."""
    dispatcher = intake(watcher)
    for body in bodies:
        await dispatcher.handle(await dispatcher.record(body))


def said(ts: str) -> dict[str, Any]:
    """The body of a reply in one thread."""
    event = {
        "type": "message",
        "channel": "C0HELP",
        "user": "U0ANA",
        "ts": ts,
        "thread_ts": "100.000001",
        "text": "so?",
    }
    return {"type": "event_callback", "team_id": "T0A", "event_id": f"Ev{ts}", "event": event}


async def test_only_what_was_judged_before_may_have_been_left_out_on_purpose() -> None:
    """An event that came late and was never judged is a new message, whatever stands in its thread by now."""
    threads = OpenThread()
    before = watcher(threads)
    await deliver(before, said("102.000000"))
    await intake(before).record(said("101.000000"))
    after = watcher(threads)
    after.events, after.classified = before.events, before.classified
    threads.messages.clear()
    await intake(after).recover()
    taken = [(added.message.message_id, added.replayed) for added in threads.messages]
    assert taken == [("102.000000", True), ("101.000000", False)]


async def test_a_burst_that_a_crash_cut_off_is_gone_through_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its events were acknowledged immediately, and are more than are gone through at other times."""
    monkeypatch.setattr(deduplication, "RECOVERED", 4)
    before = watcher(OpenThread())
    for number in range(20):
        received = await intake(before).record(said(f"{number + 101}.000000"))
        if number < 8:
            await intake(before).handle(received)
    after = watcher(threads := OpenThread())
    after.events, after.classified = before.events, before.classified
    await intake(after).recover()
    fresh_ones = [added.message.message_id for added in threads.messages if not added.replayed]
    assert fresh_ones == [f"{number + 101}.000000" for number in range(8, 20)]


class Ears:
    """Doors through which everything goes to the chat agent, once."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.replies = self

    def note_message(self, _: Message) -> None:
        """No order waits for a name."""

    def is_addressed(self, message: Message) -> bool:
        """Direct messages of people."""
        return message.chat_id.startswith("D") and message.sender.type == "user"

    async def pass_on(self, message: Message, *_: Any, **__: Any) -> bool:
        """Keep it."""
        self.heard.append(message.content)
        return True


async def test_what_was_said_directly_is_gone_through_again_once() -> None:
    """A crash came between its record and its turn; what the audit has is not heard again."""
    before = watcher(OpenThread())
    before.router = ears = Ears()  # type: ignore[assignment]  # it is asked as doors are
    for ts in ("101.000000", "102.000000"):
        body = said(ts)
        body["event"] |= {"channel": "D0ANA", "text": f"said at {ts}", "thread_ts": None}
        await intake(before).record(body)
    after = watcher(OpenThread())
    after.events, after.router = before.events, ears  # type: ignore[assignment]  # as above
    audit = MemoryJournal()
    await audit.append({"kind": "conversation", "interaction_id": "D0ANA-101.000000"})
    for _ in range(2):
        await intake(after, audit=audit).recover()
    assert ears.heard == ["said at 102.000000"]
