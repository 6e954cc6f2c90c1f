"""Thread assignment: classify a message, place it in its author's debounce group, and hand it to its thread.

Nothing is awaited between classification and placement, so that of two messages the second always finds the first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bot.decide.classify.denial import outcome
from bot.decide.classify.not_served import classify_follow_up
from bot.decide.classify.own_mention import is_self_contained
from bot.intake.debounce import Placement
from bot.intake.early_replies import EarlyReplies
from bot.intake.in_progress import InProgress
from bot.intake.incoming_message import IncomingMessage, find_features, is_report
from bot.intake.meant_questions import MeantQuestions
from bot.models.message import without_mention
from bot.models.thread_event import MessageAdded, Overheard

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.decide.classify.not_served import Back
    from bot.decide.classify.settlement import SettlingWords
    from bot.intake.alert_assignment import AlertAssigner
    from bot.intake.alerts import Alerts
    from bot.intake.classification import MessageClassifier
    from bot.intake.debounce import Debouncer, LeadingMessage
    from bot.intake.team import Team
    from bot.intake.watched import Watched
    from bot.models.alert import Alert
    from bot.models.message import Message
    from bot.models.status import Mode
    from bot.ports.inbound import CardOperators, ExternalsPort, Mutes, Threads
    from bot.ports.outbound import Clock


@dataclass(frozen=True, kw_only=True)
class ThreadAssigner:
    """Assigner of messages to threads."""

    message_classifier: MessageClassifier
    team: Team
    debouncer: Debouncer
    threads: Threads
    mutes: Mutes
    alerts: Alerts
    clock: Clock
    operators: CardOperators
    alert_assigner: AlertAssigner | None = None
    """Assigner of other programs' alerts; `None` in tests that need none."""
    settling: SettlingWords | None = None
    """Phrases by which an asker settles their question; without it no phrase does."""
    externals: ExternalsPort | None = None
    """Lookup of external people; `None` in tests that need none."""
    _early_replies: EarlyReplies = field(default_factory=EarlyReplies)
    _in_progress: InProgress = field(default_factory=InProgress)
    _meant: MeantQuestions = field(init=False)

    def __post_init__(self) -> None:
        """Let messages in the channel mean a question of this assigner."""
        meant = MeantQuestions(self.debouncer, self.threads, self.message_classifier, self.settling)
        object.__setattr__(self, "_meant", meant)

    async def take(
        self, message: Message, mode: Mode, *, replayed: bool = False, record: dict[str, Any] | None = None
    ) -> bool:
        """Classify a message and hand it to its thread if it asks or joins; return whether that changed anything.

        `record` is its record if it was classified before.
        """
        if record is None and await self.mutes.handle_mute_request(message):
            return True
        if self.alert_assigner:
            message = await self.alert_assigner.confirm(message)
        external = await self.externals.find_external(message) if self.externals else None
        is_left_alone = external is not None and external.is_left_alone
        judgement = (
            None
            if record
            else self.message_classifier.classify(message, self.team.classifier, is_left_alone=is_left_alone)
        )
        journaled = judgement.record if judgement else record or {}
        back = self._comes_back(message, journaled)
        incoming = IncomingMessage(message, mode, journaled, judgement, replayed, back, external)
        alert = self.alert_assigner.alert_of(message) if self.alert_assigner and mode != "silent" else None
        if self.alert_assigner and alert and not is_left_alone:
            async with self.alert_assigner.take_turn(message, alert):
                return await self._take_alert(incoming, self.alert_assigner, alert)
        return await self._assign(incoming)

    async def _assign(self, incoming: IncomingMessage) -> bool:
        """Place a classified message, and hand it to its thread."""
        message, placement = incoming.message, self._place(incoming)
        with self._in_progress.hold(f"{message.chat_id} {message.message_id}"):
            if not placement.anchors:
                return await self._hand_on(incoming, placement)
            with self._in_progress.hold(message.home):
                return await self._hand_on(incoming, placement)

    async def _take_alert(self, incoming: IncomingMessage, assigner: AlertAssigner, alert: Alert) -> bool:
        """Hand the alerts of a message to their threads; those that fire anew go their way as a question."""
        with self._in_progress.hold(f"{incoming.message.chat_id} {incoming.message.message_id}"):
            new, is_changed = await self._tell_alerts(incoming, assigner, alert)
        if new is None:
            return is_changed
        return await self._assign(replace(incoming, message=incoming.message.evolve(alert=new))) or is_changed

    async def revise_alert(self, message: Message, mode: Mode | None) -> bool:
        """Apply a program's edit of its own alert, which is how some say that it is over."""
        assigner = self.alert_assigner if mode in ("live", "preview") else None
        alert = assigner.alert_of_edit(message) if assigner else None
        if assigner is None or alert is None or mode is None:
            return False
        async with assigner.take_turn(message, alert):
            incoming = IncomingMessage(message, mode, {}, None, replayed=False)
            return (await self._tell_alerts(incoming, assigner, alert))[1]

    async def _tell_alerts(
        self, incoming: IncomingMessage, assigner: AlertAssigner, alert: Alert
    ) -> tuple[Alert | None, bool]:
        """Tell the threads of alerts which of them fire or are over; return those without a thread, and whether that
        changed anything."""
        message, homes = incoming.message, assigner.sort(incoming.message, alert, self.threads.is_open)
        new = homes.pop("", None)
        if incoming.judgement and new is None:
            joined = next((home for home in homes if home != message.home), None)
            await self.message_classifier.write(incoming.judgement, self.team.classifier, joined=joined)
        told = [
            await self._add(incoming, message.evolve(alert=each), home, joins=home != message.home)
            for home, each in homes.items()
        ]
        return new, await assigner.end(message, alert) or any(told)

    async def wait_until_assigned(self, channel: str, ts: str) -> None:
        """Wait until a message that is in progress is assigned."""
        await self._in_progress.wait(f"{channel} {ts}")

    async def take_early(self, watched: Mapping[str, Watched]) -> int:
        """Take the early replies of threads that are open now; return the number of changes."""
        count = 0
        for home in self._early_replies.homes():
            channel = watched.get(home.split("-")[1])
            count += await self._take_early(home, channel.mode) if channel else 0
        return count

    def _comes_back(self, message: Message, record: dict[str, Any]) -> Back | None:
        """Read a person's feedback on the bot's reply above, in a thread without open work."""
        place, home = record.get("place", ""), message.home
        if not place or message.sender.type != "user" or self.threads.is_open(home):
            return None
        is_own = self.threads.is_asker(home, message.sender.id)
        return classify_follow_up(message.content, place, self.team.classifier, by_asker=is_own)

    def _place(self, incoming: IncomingMessage) -> Placement:
        if incoming.mode == "silent":
            return Placement()
        home = incoming.record.get("joined")
        if isinstance(home, str):
            self.debouncer.assign(incoming.message, home)
            return Placement(joins=home)
        if home := self._meant.find_settled(incoming):
            self.debouncer.note(incoming.message, home)
            return Placement(joins=home)
        opens = incoming.record.get("classification") == "actionable" and not incoming.is_left_alone
        return self.debouncer.place_message(
            incoming.message, incoming.record, opens=opens, alone=self._asks_alone(incoming.message)
        )

    def _asks_alone(self, message: Message) -> bool:
        """Return whether a message mentions the bot and asks a whole question."""
        rules = self.team.classifier
        if rules.bot_id not in message.mentions:
            return False
        return is_self_contained(without_mention(message.rules_text, rules.bot_id), rules.extractor)

    async def _hand_on(self, incoming: IncomingMessage, placement: Placement) -> bool:
        message, message_class = incoming.message, incoming.record.get("classification")
        if incoming.judgement:
            message_class = await self.message_classifier.write(
                incoming.judgement, self.team.classifier, joined=placement.joins
            )
        if incoming.mode == "silent":  # an earlier card may wait; a message makes its draft stale
            return message_class != "ack" and await self._overhear(message, message.home, replayed=incoming.replayed)
        if placement.joins:
            if await self._join(incoming, placement, placement.joins):
                return True
            if incoming.judgement is None or self.threads.find_thread(message.chat_id, message.message_id):
                return False
        if message_class == "actionable" and incoming.back != "fine" and not incoming.is_left_alone:
            return await self._ask(incoming, placement)
        return await self._hear(incoming, is_ack=message_class == "ack")

    async def _ask(self, incoming: IncomingMessage, placement: Placement) -> bool:
        """Open a question, or add to that of its thread."""
        message = incoming.message
        if not self._may_open(message):
            return False
        if placement.joins and incoming.judgement:  # the question that it joined was not taken up
            self.debouncer.assign(message, message.home)
            await self.message_classifier.write(incoming.judgement, self.team.classifier, joined=None)
        added = await self._add(incoming, message, message.home, joins=False)
        self._in_progress.release(message.home)
        for before in placement.before:
            await self._lead_up(incoming, before, message.home)
        if message.thread_id is None:
            await self._take_early(message.home, incoming.mode)
        return added

    async def _join(self, incoming: IncomingMessage, placement: Placement, home: str) -> bool:
        """Add a message to its author's newest question, once that has its thread."""
        await self._in_progress.wait(home)
        for before in placement.before:
            await self._lead_up(incoming, before, home)
        return await self._add(incoming, incoming.message, home, joins=True)

    async def _lead_up(self, incoming: IncomingMessage, before: LeadingMessage, home: str) -> None:
        """Add a leading message to the question that came after it, and record that in the journal."""
        message = before.message
        await self._add(incoming, message, home, joins=True)
        if self.threads.find_thread(message.chat_id, message.message_id) == home:
            await self.message_classifier.record_joined(before.record, home)

    async def _add(
        self, incoming: IncomingMessage, message: Message, home: str, *, joins: bool, asks: bool = True
    ) -> bool:
        mentioned = self.team.classifier.bot_id in message.mentions
        heard_there = await self.mutes.allows(home, mentioned=mentioned, at=message.create_time)
        event = MessageAdded(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            message=message,
            mode=incoming.mode,
            operator=self.operators.first_operator(message.chat_id, message.sender.id),
            mentioned=mentioned,
            joins=joins,
            asks=asks,
            is_served=not asks and (incoming.back == "fine" or "served" in find_features(incoming)),
            denies=incoming.back == "denies" and message is incoming.message,
            muted=not heard_there,
            replayed=incoming.replayed,
            external=incoming.external,
        )
        return await self.threads.add(home, event)

    async def _hear(self, incoming: IncomingMessage, *, is_ack: bool) -> bool:
        """Hand on a message that asks nothing: it may join its author's question or close it, but opens none."""
        message = incoming.message
        await self._in_progress.wait(message.home)
        is_own = message.sender.type == "user" and self.threads.is_asker(message.home, message.sender.id)
        came = outcome(message.content) if is_own else None
        denies = incoming.back == "denies" or came == "failed"
        goes_on = came == "goes on" and not self.threads.is_open(message.home)
        if is_ack and not (denies or goes_on):
            home = message.home if is_own else self._meant.find_thanked(message)
            return home is not None and await self._overhear(message, home, replayed=incoming.replayed, is_ack=True)
        if is_own or denies:
            back = incoming.back is None and "comes_back" in find_features(incoming)
            asks = goes_on or (back and incoming.record.get("classification") == "ambient")
            return await self._add(incoming, message, message.home, joins=False, asks=asks)
        if message.thread_id and not self.threads.is_open(message.home):
            self._early_replies.keep(message)
        return await self._overhear(message, message.home, replayed=incoming.replayed, is_report=is_report(incoming))

    async def _take_early(self, home: str, mode: Mode) -> int:
        """Take the asker's early replies in a thread; return the number of changes."""
        if not self.threads.is_open(home):
            return 0
        replies = self._early_replies.take(home)
        count = 0
        for reply in replies:
            joined = self.threads.find_thread(reply.chat_id, reply.message_id)  # with the reply before it
            if not joined and self.threads.is_asker(home, reply.sender.id):
                count += await self.take(reply, mode)
        return count

    async def _overhear(self, message: Message, home: str, **marks: bool) -> bool:
        """Tell an open thread about any message of a person in it, with the marks of `Overheard`; return whether that
        changed anything."""
        if message.sender.type == "bot" or not (marks.get("is_ack") or self.threads.is_open(home)):
            return False
        news = Overheard(at=self.clock.now(), fresh=self.clock.new_id(), message=message, **marks)
        return await self.threads.add(home, news)

    def _may_open(self, message: Message) -> bool:
        """Return whether this message may open a thread: a person's always, an alert bot's after a pause."""
        if message.sender.type == "user":
            return True
        return self.team.classifier.may_ask(message.sender.names) and self.alerts.accept(message, self.clock.now())
