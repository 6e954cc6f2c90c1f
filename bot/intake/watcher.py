"""The watcher: from what Slack sent to what the orchestrator should know.

The journal comes first (`record`, before the ack); then duplicates are dropped, messages classified, and what is
actionable goes to its thread (`thread_assignment`). Acks stop there, and what is ambient too, but where it joins a
question that its author has just asked, or where a thread is open: there it makes a draft stale. `recover` puts what a
crash left undone through the same door.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bot.intake.alerts import Alerts
from bot.intake.classification import MessageClassifier
from bot.intake.debounce import Windows
from bot.intake.deduplication import SeenKeys
from bot.intake.deduplication_replay import CALLED, Recollection, newest
from bot.intake.edited_orders import is_order_now
from bot.intake.read_cursors import ReadCursors
from bot.intake.record import event_record, place_of, read
from bot.intake.thread_assignment import Taking
from bot.intake.watched import ChannelNames
from bot.models.interaction import TypedCommand, is_spoken, said_in, spoken_command
from bot.models.message import Deletion, Edit, Message
from bot.models.reaction import Reacted
from bot.models.received_payload import Noun, Pressed, Received, Submitted
from bot.models.talk import is_direct
from bot.models.thread_event import Deleted, Edited

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from datetime import datetime

    from bot.decide.classify.classifier import Classifier
    from bot.intake.addressee import Doors
    from bot.intake.watched import Watched
    from bot.models.status import Mode
    from bot.ports.inbound import Commands, ExternalsPort, FrontDesk, Mutes, ReactionsPort, Threads
    from bot.ports.outbound import Clock, Journal

log = logging.getLogger(__name__)

COMMANDED_WITHIN = timedelta(minutes=5)
"""A command in a message is done when it is no older than this: whoever asked has gone since, or asked again."""

EDITED_WITHIN = timedelta(hours=1)
"""An edit makes a question of a message that is no older than this."""


_ACTED_ON = (Message, Edit, Deletion, Reacted)
"""The events that matter; every other one is in the journal and nowhere else."""


@dataclass(kw_only=True)
class Watcher:
    """Intake. `events`, `classified`, `replies` and `audit` are journals; `operator` says who gets the cards of a
    channel."""

    events: Journal
    classified: Journal
    replies: Journal | None = None
    audit: Journal
    classifier: Classifier
    threads: Threads
    desk: FrontDesk
    commands: Commands
    mutes: Mutes
    clock: Clock
    new_id: Callable[[], str]
    watched: Mapping[str, Watched]
    operator: Callable[[str, str], str]
    team_id: str = ""
    """The workspace that has the app; where it is empty each payload says it."""
    externals: ExternalsPort | None = None
    cursors: ReadCursors = field(default_factory=ReadCursors)
    alerts: Alerts = field(default_factory=Alerts)
    windows: Windows = field(default_factory=lambda: Windows(timedelta(seconds=2), timedelta(seconds=30)))
    doors: Doors | None = None
    """Who knows what is said to the bot itself; nobody in a test that needs none."""
    reactions: Sequence[ReactionsPort] = ()
    """Whoever gives an emoji a meaning; each hears of all that people put under messages of watched channels."""
    _seen: SeenKeys = field(default_factory=SeenKeys)

    def __post_init__(self) -> None:
        """The memory is filled from the journal."""
        self._chat_names = ChannelNames(self.watched)
        self._recollection = Recollection(self._seen)
        self._taking = Taking(
            judging=MessageClassifier(
                classified=self.classified, threads=self.threads, clock=self.clock, replies=self.replies
            ),
            classifier=lambda: self.classifier,
            windows=self.windows,
            threads=self.threads,
            mutes=self.mutes,
            alerts=self.alerts,
            clock=self.clock,
            new_id=self.new_id,
            operator=self.operator,
            settling=self.doors.settling if self.doors else None,
            externals=self.externals,
        )

    async def record(self, body: dict[str, Any]) -> Received:
        """Write a body to the journal; on return it is on disk and may be acknowledged."""
        received, written = self.begin(body)
        await written
        return received

    def begin(self, body: dict[str, Any]) -> tuple[Received, Awaitable[None]]:
        """Have a body written to the journal; once the answer was awaited it is on disk."""
        received = self._read(body)
        return received, self._write(received, body)

    async def caught_up(self, body: dict[str, Any]) -> None:
        """Take in a message that was read from the channel's history."""
        received = self._read(body)
        await self._recollection.knows(received.noun)
        if isinstance(received.noun, Message) and not self._seen.knows(received.noun):
            await self._write(received, body)
            await self.event(received)

    async def event(self, received: Received) -> None:
        """Act on an acknowledged event, unless it was acted on before; what failed may be delivered again."""
        key, noun = received.event_id, received.noun
        await self._recollection.knows(noun)
        message = noun if isinstance(noun, Message) else None
        if not isinstance(noun, _ACTED_ON) or not self._seen.first(key, message, at=self.clock.now()):
            return
        try:
            if isinstance(noun, Reacted):
                await self._hear_of(noun)
            elif isinstance(noun, Message):
                self._note(noun)
                if is_spoken(noun):
                    await self._obey(noun)
                else:
                    await self._take(noun)
            else:
                await self._revise(noun)
        except Exception:
            self._seen.forget(key, message)
            raise

    async def press(self, received: Received) -> None:
        """Act on an acknowledged press or shortcut."""
        noun = received.noun
        if isinstance(noun, Pressed) and self._seen.first(noun.interaction_id, at=self.clock.now()):
            await self.desk.pressed(noun)

    async def dialog(self, received: Received) -> dict[str, str]:
        """Act on a submitted dialog; the answer goes into its ack. A second delivery finds its nonce used."""
        noun = received.noun
        return await self.desk.submitted(noun) if isinstance(noun, Submitted) else {}

    async def command(self, received: Received) -> dict[str, Any]:
        """Do what a slash command asks; the answer goes into its ack."""
        noun = received.noun
        if not isinstance(noun, TypedCommand):
            return {"text": "This is no command that Slack sends."}
        if not self._seen.first(noun.interaction_id, at=self.clock.now()):
            return {"text": "This was asked already, and nothing is done twice."}
        return await self.commands.answer(noun)

    def replied(self, channel: str, thread: str, ts: str) -> None:
        """Take in that a reply of the bot's own was posted."""
        self._taking.judging.replied(channel, thread, ts)

    async def _hear_of(self, reacted: Reacted) -> None:
        if reacted.chat_id in self.watched and reacted.user_id != self.classifier.bot_id:
            for reactions in self.reactions:
                await reactions.reacted(reacted)

    async def _obey(self, message: Message) -> None:
        """Do what a message asks that begins with `!triage`."""
        command = spoken_command(message)
        if command and self.clock.now() - message.create_time < COMMANDED_WITHIN:
            await self.commands.hear(command)

    async def recover(self) -> int:
        """Go through the newest records again and act on what was not acted on; the answer is how many those are."""
        records, classified = await newest(self.events, self.classified)
        handled = {record.get("interaction_id") for record in await self.audit.tail(len(records))}
        count, now = 0, self.clock.now()
        for record in records:
            try:
                count += await self._recovered(record, classified, handled, at=now)
            except Exception:
                log.exception("a record could not be gone through again: %s", record.get("event_id"))
        return count + await self._taking.take_early(self._mode)

    async def _recovered(
        self,
        record: dict[str, Any],
        classified: Mapping[tuple[Any, Any], dict[str, Any]],
        handled: set[Any],
        *,
        at: datetime,
    ) -> bool:
        """Act on one record if nobody has; says whether that changed anything."""
        mode, kind = record.get("mode", "live"), record.get("kind")
        if kind not in ("press", "dialog", "shortcut") and (mode is None or (mode == "silent" and kind != "reaction")):
            return False  # it was left alone when it came in, and is not judged by today's settings
        raw = record.get("raw")
        noun = self._read({**raw, "trigger_id": ""} if isinstance(raw, dict) else {}).noun
        match noun:
            case Message() if self._seen.first(record.get("event_id"), noun, at=at):
                self._note(noun)
                known = classified.get((noun.chat_id, noun.message_id))
                if said_in(noun) not in handled and is_spoken(noun):  # one that was begun is on record
                    await self._obey(noun)
                elif said_in(noun) not in handled:
                    return await self._take(noun, replayed=known is not None, known=known)
            case Edit() | Deletion() if self._seen.first(record.get("event_id"), at=at):
                return await self._revise(noun)
        if not isinstance(noun, Pressed | Submitted | Reacted) or not self._seen.first(noun.interaction_id, at=at):
            return False
        return noun.interaction_id not in handled and await self._redo(noun)

    async def recall(self) -> None:
        """Remember all that came in during the last day, after `recover`, which takes what was not acted on for new."""
        await self._recollection.read(self.events, self.clock.now(), first=self._taking.judging.recall)

    async def _revise(self, noun: Edit | Deletion) -> bool:
        """Correct or end the question of a message that was changed; an edit may also make a question of it."""
        at, fresh = self.clock.now(), self.new_id()
        said = noun if isinstance(noun, Deletion) else noun.message
        await self._taking.settled(said.chat_id, said.message_id)
        if isinstance(noun, Deletion):
            if self.doors and await self.doors.conversations.withdraw(noun):
                return True
            home = self.threads.home_of(noun.chat_id, noun.message_id) or noun.thread_id
            return await self.threads.revise(home, Deleted(at=at, fresh=fresh, message_id=noun.message_id))
        message = noun.message
        if message.sender.type == "bot" or not (message.chat_id in self.watched or is_direct(message.chat_id)):
            return False
        joined = self.threads.home_of(message.chat_id, message.message_id)
        is_order = await is_order_now(self.doors, message, self._mode(message.chat_id))
        edited = Edited(at=at, fresh=fresh, message=message, is_order=is_order, **self._taking.after_edit(message))
        if await self.threads.revise(joined or message.home, edited):
            return True
        if joined and joined != message.home:  # it belongs to that question, and begins none of its own
            return False
        return at - message.create_time < EDITED_WITHIN and await self._take(message, edited=True)

    def _note(self, message: Message) -> None:
        if message.chat_id in self.watched:
            self.cursors.heard(message.chat_id, message.message_id)

    async def _redo(self, noun: Pressed | Submitted | Reacted) -> bool:
        if isinstance(noun, Reacted):
            await self._hear_of(noun)
        elif isinstance(noun, Pressed):
            await self.desk.pressed(noun, replayed=True)
        else:
            await self.desk.submitted(noun, replayed=True)
        return True

    def _read(self, body: dict[str, Any]) -> Received:
        return read(body, chat_names=self._chat_names, team=self.team_id)

    def _write(self, received: Received, body: dict[str, Any]) -> Awaitable[None]:
        """The record of a body, with the mode of its channel, so that a later start does not judge it anew."""
        at = self.clock.now().isoformat()
        self._recollection.written(at)
        mode = self._mode(place_of(received, body)) or (CALLED if self._calls(received.noun) else None)
        return self.events.put(event_record(received, body, received_at=at, mode=mode))

    def _calls(self, noun: Noun | None) -> bool:
        """Return whether it is said to the bot where no channel is watched."""
        if isinstance(noun, Deletion):
            return is_direct(noun.chat_id)
        message = noun.message if isinstance(noun, Edit) else noun
        return isinstance(message, Message) and self.doors is not None and self.doors.calls(message)

    async def _take(
        self, message: Message, *, replayed: bool = False, edited: bool = False, known: dict[str, Any] | None = None
    ) -> bool:
        """Take in what is said in a watched channel, or to the bot itself; says whether it changed anything."""
        if is_spoken(message):
            return False
        mode, take = self._mode(message.chat_id), self._taking.take
        if self.doors and self.doors.calls(message):
            return await self.doors.pass_on(message, mode, take, edited=edited, replayed=replayed, known=known)
        if self.doors and not (replayed or edited) and await self.doors.called_off(message):
            return True
        return mode is not None and await take(message, mode, replayed=replayed, known=known)

    async def ask(self, message: Message) -> bool:
        """Have triage answer what was said to the bot itself, and say nothing of it; says whether a question came."""
        mode = self._mode(message.chat_id)
        return self.doors is not None and await self.doors.ask(message, mode, self._taking.take, is_told=True)

    def _mode(self, channel: str) -> Mode | None:
        watched = self.watched.get(channel)
        return watched.mode if watched else None
