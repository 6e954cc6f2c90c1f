"""The watcher: turns Slack payloads into thread events for the orchestrator.

Payloads are written to the journal first (`record`, before the ack); then duplicates are dropped, messages classified,
and actionable ones handed to their thread (`thread_assignment`). Ambient messages and acknowledgements end there,
unless they join their author's new question or an open thread, whose draft they make stale. `recover` handles the
payloads that a crash left undone in the same way.
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
"""Maximum age of a command in a message; after that its author has left or repeated it."""

EDITED_WITHIN = timedelta(hours=1)
"""Maximum age of a message that an edit may turn into a question."""


_ACTED_ON = (Message, Edit, Deletion, Reacted)
"""Payloads that are acted on; all others are only in the journal."""


@dataclass(kw_only=True)
class Watcher:
    """Intake of payloads. `events`, `classified`, `replies` and `audit` are journals; `operator` names who gets
    cards."""

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
    """Workspace that has the app; if empty, each payload's own is used."""
    externals: ExternalsPort | None = None
    cursors: ReadCursors = field(default_factory=ReadCursors)
    alerts: Alerts = field(default_factory=Alerts)
    windows: Windows = field(default_factory=lambda: Windows(timedelta(seconds=2), timedelta(seconds=30)))
    doors: Doors | None = None
    """Router of messages to the bot; `None` in tests that need none."""
    reactions: Sequence[ReactionsPort] = ()
    """Handlers of reactions; each gets all reactions to messages of watched channels."""
    _seen: SeenKeys = field(default_factory=SeenKeys)

    def __post_init__(self) -> None:
        """Build the collaborators."""
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
        """Write a body to the journal and return it parsed; it is then on disk and may be acknowledged."""
        received, written = self.begin(body)
        await written
        return received

    def begin(self, body: dict[str, Any]) -> tuple[Received, Awaitable[None]]:
        """Start writing a body to the journal; once the returned awaitable is done it is on disk."""
        received = self._read(body)
        return received, self._write(received, body)

    async def caught_up(self, body: dict[str, Any]) -> None:
        """Handle a message that was read from the channel's history."""
        received = self._read(body)
        await self._recollection.knows(received.noun)
        if isinstance(received.noun, Message) and not self._seen.knows(received.noun):
            await self._write(received, body)
            await self.event(received)

    async def event(self, received: Received) -> None:
        """Act on an acknowledged event, unless it is a duplicate; after a failure it may be delivered again."""
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
        """Act on a submitted dialog; return the errors for its ack. A second delivery finds its nonce used."""
        noun = received.noun
        return await self.desk.submitted(noun) if isinstance(noun, Submitted) else {}

    async def command(self, received: Received) -> dict[str, Any]:
        """Run a slash command; return the answer for its ack."""
        noun = received.noun
        if not isinstance(noun, TypedCommand):
            return {"text": "Triage does not know this command."}
        if not self._seen.first(noun.interaction_id, at=self.clock.now()):
            return {"text": "This command was already received, so it was not run again."}
        return await self.commands.answer(noun)

    def replied(self, channel: str, thread: str, ts: str) -> None:
        """Note a reply that the bot has posted."""
        self._taking.judging.replied(channel, thread, ts)

    async def _hear_of(self, reacted: Reacted) -> None:
        if reacted.chat_id in self.watched and reacted.user_id != self.classifier.bot_id:
            for reactions in self.reactions:
                await reactions.reacted(reacted)

    async def _obey(self, message: Message) -> None:
        """Run the command in a message that starts with `!triage`."""
        command = spoken_command(message)
        if command and self.clock.now() - message.create_time < COMMANDED_WITHIN:
            await self.commands.hear(command)

    async def recover(self) -> int:
        """Act on those of the newest records that were not acted on before a crash; return their number."""
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
        """Act on one record, unless that was done; return whether it changed anything."""
        mode, kind = record.get("mode", "live"), record.get("kind")
        if kind not in ("press", "dialog", "shortcut") and (mode is None or (mode == "silent" and kind != "reaction")):
            return False  # it was ignored when it came in, whatever the settings are now
        raw = record.get("raw")
        noun = self._read({**raw, "trigger_id": ""} if isinstance(raw, dict) else {}).noun
        match noun:
            case Message() if self._seen.first(record.get("event_id"), noun, at=at):
                self._note(noun)
                known = classified.get((noun.chat_id, noun.message_id))
                if said_in(noun) not in handled and is_spoken(noun):  # a command that was started is in the audit
                    await self._obey(noun)
                elif said_in(noun) not in handled:
                    return await self._take(noun, replayed=known is not None, known=known)
            case Edit() | Deletion() if self._seen.first(record.get("event_id"), at=at):
                return await self._revise(noun)
        if not isinstance(noun, Pressed | Submitted | Reacted) or not self._seen.first(noun.interaction_id, at=at):
            return False
        return noun.interaction_id not in handled and await self._redo(noun)

    async def recall(self) -> None:
        """Load the last day's keys for deduplication; runs after `recover`, whose records must still count as new."""
        await self._recollection.read(self.events, self.clock.now(), first=self._taking.judging.recall)

    async def _revise(self, noun: Edit | Deletion) -> bool:
        """Apply an edit or a deletion to the message's question; an edit may also turn the message into a question."""
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
        if joined and joined != message.home:  # it belongs to that question and opens no other
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
        """Write a body's record with its channel's mode, so that a later start does not classify it again."""
        at = self.clock.now().isoformat()
        self._recollection.written(at)
        mode = self._mode(place_of(received, body)) or (CALLED if self._calls(received.noun) else None)
        return self.events.put(event_record(received, body, received_at=at, mode=mode))

    def _calls(self, noun: Noun | None) -> bool:
        """Return whether a payload is a message to the bot itself."""
        if isinstance(noun, Deletion):
            return is_direct(noun.chat_id)
        message = noun.message if isinstance(noun, Edit) else noun
        return isinstance(message, Message) and self.doors is not None and self.doors.calls(message)

    async def _take(
        self, message: Message, *, replayed: bool = False, edited: bool = False, known: dict[str, Any] | None = None
    ) -> bool:
        """Handle a message in a watched channel or to the bot; return whether it changed anything."""
        if is_spoken(message):
            return False
        mode, take = self._mode(message.chat_id), self._taking.take
        if self.doors and self.doors.calls(message):
            return await self.doors.pass_on(message, mode, take, edited=edited, replayed=replayed, known=known)
        if self.doors and not (replayed or edited) and await self.doors.called_off(message):
            return True
        return mode is not None and await take(message, mode, replayed=replayed, known=known)

    async def ask(self, message: Message) -> bool:
        """Hand a message to triage as a question, without telling its author; return whether that opened one."""
        mode = self._mode(message.chat_id)
        return self.doors is not None and await self.doors.ask(message, mode, self._taking.take, is_told=True)

    def _mode(self, channel: str) -> Mode | None:
        watched = self.watched.get(channel)
        return watched.mode if watched else None
