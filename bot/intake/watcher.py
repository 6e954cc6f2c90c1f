"""The watcher: from what Slack sent to what the orchestrator should know.

The journal comes first (`record`, before the ack); then duplicates are dropped, messages classified, and what is
actionable goes to its thread. Acks stop here, and what is ambient too, but where a thread is open: there it makes a
draft stale. `recover` puts what a crash left undone through the same door.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bot.intake.alerts import Alerts
from bot.intake.early import Early
from bot.intake.judging import Judging
from bot.intake.recollection import Recollection
from bot.intake.record import event_record, read
from bot.intake.seen import Seen
from bot.models.happening import Deleted, Edited, MessageAdded, Overheard
from bot.models.interaction import Command, is_spoken, said_in, spoken_command
from bot.models.message import Deletion, Edit, Message
from bot.models.reaction import Reacted
from bot.models.received import Pressed, Received, Submitted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from bot.decide.classifier import Classifier
    from bot.desks import Commands, FrontDesk, Mutes, Reactions, Threads
    from bot.models.thread import Mode
    from bot.ports import Clock, Journal

log = logging.getLogger(__name__)

RECOVERED = 2_000
"""How many of the newest records are gone through again at start; an event is acted on within milliseconds, so a
crash leaves the last few."""

COMMANDED_WITHIN = timedelta(minutes=5)
"""A command in a message is done when it is no older than this: whoever asked has gone since, or asked again."""

EDITED_WITHIN = timedelta(hours=1)
"""An edit makes a question of a message that is no older than this."""


_ACTED_ON = (Message, Edit, Deletion, Reacted)
"""The events that matter; every other one is in the journal and nowhere else."""


@dataclass(frozen=True)
class Watched:
    """A watched channel."""

    name: str
    mode: Mode


@dataclass(kw_only=True)
class Watcher:
    """Intake. `events`, `classified` and `audit` are journals; `operator` says who gets the cards of a
    channel."""

    events: Journal
    classified: Journal
    audit: Journal
    classifier: Classifier
    threads: Threads
    desk: FrontDesk
    commands: Commands
    mutes: Mutes
    clock: Clock
    new_id: Callable[[], str]
    watched: Mapping[str, Watched]
    operator: Callable[[str], str]
    read_to: dict[str, str] = field(default_factory=dict)
    """The ts of the newest message seen in each watched channel; of none, since when it is watched (`watching`)."""
    alerts: Alerts = field(default_factory=Alerts)
    reactions: Sequence[Reactions] = ()
    """Whoever gives an emoji a meaning; each hears of all that people put under messages of watched channels."""
    _early: Early = field(default_factory=Early)
    _seen: Seen = field(default_factory=Seen)

    def __post_init__(self) -> None:
        """The memory is filled from the journal."""
        self._recollection = Recollection(self._seen)
        self._judging = Judging(classified=self.classified, threads=self.threads, clock=self.clock)

    async def record(self, body: dict[str, Any]) -> Received:
        """Write a body to the journal; on return it is on disk and may be acknowledged."""
        received = self._read(body)
        await self._write(received, body)
        return received

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
        if not isinstance(noun, Command):
            return {"text": "This is no command that Slack sends."}
        if not self._seen.first(noun.interaction_id, at=self.clock.now()):
            return {"text": "This was asked already, and nothing is done twice."}
        return await self.commands.answer(noun)

    async def _hear_of(self, reacted: Reacted) -> None:
        if reacted.chat_id in self.watched:
            for reactions in self.reactions:
                await reactions.reacted(reacted)

    async def _obey(self, message: Message) -> None:
        """Do what a message asks that begins with `!triage`."""
        command = spoken_command(message)
        if command and self.clock.now() - message.create_time < COMMANDED_WITHIN:
            await self.commands.hear(command)

    async def recover(self) -> int:
        """Go through the newest records again and act on what was not acted on; the answer is how many those are."""
        classified = {_place(record): record for record in await self.classified.tail(RECOVERED)}
        handled = {record.get("interaction_id") for record in await self.audit.tail(RECOVERED)}
        count, now = 0, self.clock.now()
        for record in await self.events.tail(RECOVERED):
            try:
                count += await self._recovered(record, classified, handled, at=now)
            except Exception:
                log.exception("a record could not be gone through again: %s", record.get("event_id"))
        for home in self._early.homes():
            count += await self._take_early(home)
        return count

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
                if said_in(noun) not in handled and (known is None or known.get("classification") != "ack"):
                    return await self._take(noun, replayed=known is not None, known=known)
            case Edit() | Deletion() if self._seen.first(record.get("event_id"), at=at):
                return await self._revise(noun)
        if not isinstance(noun, Pressed | Submitted | Reacted) or not self._seen.first(noun.interaction_id, at=at):
            return False
        return noun.interaction_id not in handled and await self._redo(noun)

    async def recall(self) -> None:
        """Remember all that came in during the last day.

        After `recover`, which takes what was not acted on yet for new. Nothing waits for its end but what may have come
        in before.
        """
        await self._recollection.read(self.events, self.clock.now())

    async def _revise(self, noun: Edit | Deletion) -> bool:
        """Correct or end the question of a message that was changed; an edit may also make a question of it."""
        at, fresh = self.clock.now(), self.new_id()
        if isinstance(noun, Deletion):
            return await self.threads.revise(noun.thread_id, Deleted(at=at, fresh=fresh, message_id=noun.message_id))
        message = noun.message
        if message.sender.type == "bot" or message.chat_id not in self.watched:
            return False
        if await self.threads.revise(message.home, Edited(at=at, fresh=fresh, message=message)):
            return True
        return at - message.create_time < EDITED_WITHIN and await self._take(message)

    def _note(self, message: Message) -> None:
        if message.chat_id in self.watched and message.message_id > self.read_to.get(message.chat_id, ""):
            self.read_to[message.chat_id] = message.message_id

    async def _redo(self, noun: Pressed | Submitted | Reacted) -> bool:
        if isinstance(noun, Reacted):
            await self._hear_of(noun)
        elif isinstance(noun, Pressed):
            await self.desk.pressed(noun, replayed=True)
        else:
            await self.desk.submitted(noun, replayed=True)
        return True

    def _read(self, body: dict[str, Any]) -> Received:
        return read(body, chat_names={channel: watched.name for channel, watched in self.watched.items()})

    async def _write(self, received: Received, body: dict[str, Any]) -> None:
        """The record of a body, with the mode of its channel, so that a later start does not judge it anew."""
        record = event_record(received, body, received_at=self.clock.now().isoformat())
        self._recollection.written(record["received_at"])
        watched = self.watched.get(str(record.get("chat_id")))
        await self.events.append({**record, "mode": watched.mode if watched else None})

    async def _take(self, message: Message, *, replayed: bool = False, known: dict[str, Any] | None = None) -> bool:
        """Classify a message and hand on what is actionable; says whether it changed anything."""
        watched = self.watched.get(message.chat_id)
        if watched is None or is_spoken(message):
            return False
        if known is None and await self.mutes.hears(message):
            return True
        judged = None if known else await self._judging.judge(message, self.classifier)
        said = judged.classification if judged else known and known.get("classification")
        if said == "ack":
            return False
        if watched.mode == "silent":  # a card from before still waits, and must not be approved as if nothing was said
            return await self._overhear(message, replayed=replayed)
        if said == "ambient":
            if message.thread_id and not self.threads.is_open(message.home):
                self._early.keep(message)
            return await self._overhear(message, replayed=replayed)
        if not self._may_open(message):
            return False
        mentioned = self.classifier.bot_id in message.mentions
        if not await self.mutes.lets_in(message.home, mentioned=mentioned, at=message.create_time):
            return False
        happening = MessageAdded(
            at=self.clock.now(),
            fresh=self.new_id(),
            message=message,
            mode=watched.mode,
            operator=self.operator(message.chat_id),
            mentioned=mentioned,
            replayed=replayed,
        )
        added = await self.threads.add(message.home, happening)
        if message.thread_id is None:
            await self._take_early(message.home)
        return added

    async def _take_early(self, home: str) -> int:
        """Take what the asker said in a thread before it was open; the answer is how much that changed."""
        if not self.threads.is_open(home):
            return 0
        replies = self._early.taken(home)
        return sum([await self._take(reply) for reply in replies if self.threads.concerns(home, reply.sender.id)])

    async def _overhear(self, message: Message, *, replayed: bool) -> bool:
        """What a person says in an open thread is news to it, whatever it is."""
        if message.sender.type == "bot" or not self.threads.is_open(message.home):
            return False
        news = Overheard(at=self.clock.now(), fresh=self.new_id(), message=message, replayed=replayed)
        return await self.threads.add(message.home, news)

    def _may_open(self, message: Message) -> bool:
        """Whether a thread may be opened for this message: for a person's always, for a bot's seldom."""
        if message.sender.type == "user":
            return True
        return self.classifier.may_ask(message.sender.names) and self.alerts.take(message.home, self.clock.now())


def _place(record: dict[str, Any]) -> tuple[Any, Any]:
    return record.get("chat_id"), record.get("message_id")
