"""Watcher: deduplicate and classify messages, and hand them to their threads or to the bot's own conversations.

Actionable messages go to their thread (`thread_assignment`). Acks stop here, and so do ambient messages, unless they
join their author's new question or are in an open thread, whose draft they make stale.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bot.intake.alert_assignment import AlertAssigner
from bot.intake.alerts import Alerts
from bot.intake.classification import MessageClassifier
from bot.intake.debounce import Debouncer
from bot.intake.deduplication import CALLED, DeduplicationReplay, SeenKeys
from bot.intake.in_progress import Turns
from bot.intake.incoming_message import read_edit
from bot.intake.late_messages import EarlyRevisions
from bot.intake.orders import is_order_now
from bot.intake.read_cursors import ReadCursors
from bot.intake.record import event_record, place_of, read, revision_record
from bot.intake.thread_assignment import ThreadAssigner
from bot.intake.watched import ChannelNames
from bot.models.conversation_record import is_direct
from bot.models.interaction import is_command_message, read_message_command
from bot.models.message import Deletion, Edit, Message
from bot.models.thread_event import Deleted, Edited

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Mapping

    from bot.decide.classify.settlement import SettlingWords
    from bot.intake.addressee import AddresseeRouter
    from bot.intake.late_messages import LateMessages
    from bot.intake.team import Team
    from bot.intake.watched import Watched
    from bot.models.reaction import Reaction
    from bot.models.received_payload import Payload, ReceivedPayload
    from bot.models.status import Mode
    from bot.ports.hooks import MessageObserver
    from bot.ports.inbound import AlertThreadsPort, CardOperators, Commands, ExternalsPort, Mutes, Threads
    from bot.ports.outbound import Clock, Journal

COMMANDED_WITHIN = timedelta(minutes=5)
"""Maximum age of a command in a message; after that its author has left or repeated it."""

EDITED_WITHIN = timedelta(hours=1)
"""Maximum age of a message that an edit may turn into a question."""


@dataclass(kw_only=True, repr=False)
class Watcher:
    """Intake. `events`, `classified` and `replies` are journals."""

    events: Journal
    classified: Journal
    replies: Journal | None = None
    team: Team
    threads: Threads
    mutes: Mutes
    clock: Clock
    watched: Mapping[str, Watched]
    operators: CardOperators
    team_id: str = ""
    """Workspace that has the app; if empty, each payload's own is used."""
    externals: ExternalsPort | None = None
    cursors: ReadCursors = field(default_factory=ReadCursors)
    alerts: Alerts = field(default_factory=Alerts)
    debouncer: Debouncer = field(default_factory=lambda: Debouncer(timedelta(seconds=2), timedelta(seconds=30)))
    settling: SettlingWords | None = None
    """Words by which an asker says that their question is settled; `None` in tests that need none."""
    alert_threads: AlertThreadsPort | None = None
    """Threads of other programs' alerts; `None` in tests that need none."""
    commands: Commands | None = None
    """Commands in messages; set by `attach`."""
    router: AddresseeRouter | None = None
    """Router of messages to the bot; set by `attach`, `None` in tests that need none."""
    late: LateMessages | None = None
    """Reader of late orders; `None` in tests that need none."""
    seen_keys: SeenKeys = field(default_factory=SeenKeys)
    observers: list[MessageObserver] = field(default_factory=list)
    """Told of each message in a watched channel that is no command, also of one that comes again after a crash."""

    def __post_init__(self) -> None:
        """Build the collaborators."""
        self._chat_names = ChannelNames(self.watched)
        self.replay = DeduplicationReplay(self.seen_keys)
        self._turns, self._early_revisions = Turns(), EarlyRevisions()
        self._assigner = ThreadAssigner(
            message_classifier=MessageClassifier(
                classified=self.classified, threads=self.threads, clock=self.clock, replies=self.replies
            ),
            team=self.team,
            debouncer=self.debouncer,
            threads=self.threads,
            mutes=self.mutes,
            alerts=self.alerts,
            clock=self.clock,
            operators=self.operators,
            alert_assigner=AlertAssigner(team=self.team, threads=self.alert_threads) if self.alert_threads else None,
            settling=self.settling,
            externals=self.externals,
        )

    def attach(self, *, commands: Commands, router: AddresseeRouter) -> None:
        """Connect commands and router, once, before the first payload; both hand messages back to this watcher."""
        if self.commands or self.router:
            raise RuntimeError("the watcher has its commands and its router already")
        self.commands, self.router = commands, router

    def begin(self, body: dict[str, Any]) -> tuple[ReceivedPayload, Awaitable[None]]:
        """Start to write a body to the journal; it is on disk once the result was awaited."""
        received = self.read(body)
        return received, self._write(received, body)

    def read(self, body: dict[str, Any]) -> ReceivedPayload:
        """Parse a body."""
        return read(body, chat_names=self._chat_names, team=self.team_id)

    async def caught_up(self, body: dict[str, Any]) -> None:
        """Handle a message that was read from the channel's history, or its edit or deletion."""
        received = self.read(body)
        message = received.payload
        if isinstance(message, Edit | Deletion):
            async with self.once(message, None):
                await self.revise(message)
        await self.replay.wait_until_known(message)
        if not isinstance(message, Message) or self.seen_keys.knows(message):
            return
        await self._write(received, body)
        async with self.once(message, received.event_id) as is_new:
            if is_new:
                await self.add(message)

    @asynccontextmanager
    async def once(self, payload: Message | Edit | Deletion | Reaction, event_id: str | None) -> AsyncIterator[bool]:
        """Yield whether a payload has not come before; after a failure it counts as new when delivered again.

        A message, its edits and its deletion are handled in the order of their arrival.
        """
        message = payload if isinstance(payload, Message) else None
        changed = payload.message if isinstance(payload, Edit) else payload
        async with self._turns.take(f"{changed.chat_id} {changed.message_id}"):
            await self.replay.wait_until_known(payload)
            is_new = self.seen_keys.is_first(event_id, message, at=self.clock.now())
            try:
                yield is_new
            except Exception:
                self.seen_keys.forget(event_id, message)
                raise

    def note_reply(self, channel: str, thread: str, ts: str) -> None:
        """Note a reply that the bot has posted."""
        self._assigner.message_classifier.note_reply(channel, thread, ts)

    async def add(
        self, message: Message, *, earlier_record: dict[str, Any] | None = None, replayed: bool = False
    ) -> bool:
        """Handle a new message, or run its command; return whether that changed a thread.

        `earlier_record` is its record if it was classified before a restart.
        """
        self.note(message)
        if self.router:
            self.router.replies.note_message(message)
        written = self._early_revisions.take(message)
        if written is None or (written is not message and self._is_in_question(written)):
            return False
        current = await self.late.read_again(written) if self.late and is_command_message(written) else written
        if current is None:
            return False
        message = current
        if is_command_message(message):
            await self._obey(message)
            return False
        if message.chat_id in self.watched:
            for observer in self.observers:
                observer.note_message(message)
        return await self._take(message, replayed=replayed, earlier_record=earlier_record)

    def note(self, message: Message) -> None:
        """Move the read cursor of a watched channel on."""
        if message.chat_id in self.watched:
            self.cursors.advance(message.chat_id, message.message_id)

    async def take_early(self) -> int:
        """Take the early replies of threads that are open now; return the number of changes."""
        return await self._assigner.take_early(self.watched)

    async def _obey(self, message: Message) -> None:
        """Run the command in a message that starts with `!triage`."""
        command = read_message_command(message)
        if command is None:
            return
        if self.commands is None:
            raise RuntimeError("the watcher has no commands yet")
        if message.sender.type != "user":
            await self.commands.record_unheard(command, "not a person")
        elif self.clock.now() - message.create_time < COMMANDED_WITHIN:
            await self.commands.answer_in_thread(command)
        else:
            await self.commands.record_unheard(command, "late")

    async def recall(self) -> None:
        """Load the last day's keys for deduplication; runs after `recover`, whose records must still count as new."""
        await self.replay.read(self.events, self.clock.now(), first=self._assigner.message_classifier.recall)

    async def revise(self, payload: Edit | Deletion) -> bool:
        """Apply an edit or a deletion to the message's question; an edit may also turn the message into a question."""
        at, fresh = self.clock.now(), self.clock.new_id()
        original = payload if isinstance(payload, Deletion) else payload.message
        if self.router:
            self.router.replies.note_revision(original)
        if not self.seen_keys.knows(original):
            self._early_revisions.keep(original)
        await self._assigner.wait_until_assigned(original.chat_id, original.message_id)
        if isinstance(payload, Deletion):
            if self.router and await self.router.conversations.cancel_deleted(payload):
                return True
            home = self.threads.find_thread(payload.chat_id, payload.message_id) or payload.thread_id
            return await self.threads.revise(home, Deleted(at=at, fresh=fresh, message_id=payload.message_id))
        message = payload.message
        if message.sender.type == "bot":
            return await self._assigner.revise_alert(message, self.mode(message.chat_id))
        if not (message.chat_id in self.watched or is_direct(message.chat_id)):
            return False
        joined = self.threads.find_thread(message.chat_id, message.message_id)
        is_question = message.thread_id is None and self.threads.is_open(message.home)
        is_order = await is_order_now(self.router, message, self.mode(message.chat_id))
        asks = read_edit(message, self.team.classifier)
        edited = Edited(at=at, fresh=fresh, message=message, is_order=is_order, **asks)
        if await self.threads.revise(joined or message.home, edited):
            if is_order and self.router:
                await self.router.replies.explain_no_order(message)
            return True
        if is_question or (joined and (joined != message.home or self.threads.is_open(joined))):
            return False  # it belongs to that question and opens no other
        return at - message.create_time < EDITED_WITHIN and await self._take(message, edited=True)

    def _is_in_question(self, message: Message) -> bool:
        """Return whether a message is in an open question already, by its edit."""
        if is_command_message(message):
            return False
        is_root = message.thread_id is None and self.threads.is_open(message.home)
        return is_root or self.threads.find_thread(message.chat_id, message.message_id) is not None

    async def record_revision(self, payload: Edit | Deletion, event_id: str | None) -> None:
        """Record that an edit or a deletion was applied, so that the next start does not apply it again."""
        channel = payload.chat_id if isinstance(payload, Deletion) else payload.message.chat_id
        if event_id is None or not (self.mode(channel) or self._is_addressed(payload)):
            return
        at = self.clock.now().isoformat()
        self.replay.note_written(at)
        await self.events.append(revision_record(channel, event_id, received_at=at))

    def _write(self, received: ReceivedPayload, body: dict[str, Any]) -> Awaitable[None]:
        """Write a body's record with its channel's mode, so that a later start does not classify it again."""
        at = self.clock.now().isoformat()
        self.replay.note_written(at)
        mode = self.mode(place_of(received, body)) or (CALLED if self._is_addressed(received.payload) else None)
        return self.events.put(event_record(received, body, received_at=at, mode=mode))

    def _is_addressed(self, payload: Payload | None) -> bool:
        """Return whether a payload is a message to the bot itself."""
        if isinstance(payload, Deletion):
            return is_direct(payload.chat_id)
        message = payload.message if isinstance(payload, Edit) else payload
        return isinstance(message, Message) and self.router is not None and self.router.is_addressed(message)

    async def _take(
        self,
        message: Message,
        *,
        replayed: bool = False,
        edited: bool = False,
        earlier_record: dict[str, Any] | None = None,
    ) -> bool:
        """Handle a message in a watched channel or to the bot; return whether it changed anything."""
        if is_command_message(message):
            return False
        mode, take = self.mode(message.chat_id), self._assigner.take
        if self.router and self.router.is_addressed(message):
            return await self.router.pass_on(
                message, mode, take, edited=edited, replayed=replayed, earlier_record=earlier_record
            )
        if self.router and not (replayed or edited) and await self.router.called_off(message):
            return True
        return mode is not None and await take(message, mode, replayed=replayed, record=earlier_record)

    async def ask(self, message: Message) -> bool:
        """Hand a message to triage as a question, without telling its author; return whether that opened one."""
        mode = self.mode(message.chat_id)
        return self.router is not None and await self.router.ask(message, mode, self._assigner.take, is_told=True)

    def mode(self, channel: str) -> Mode | None:
        """Return the mode of a channel, `None` if it is not watched."""
        return self.watched[channel].mode if channel in self.watched else None
