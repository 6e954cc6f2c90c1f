"""Thread assignment: classify a message, place it in its author's debounce group, and hand it to its thread.

Nothing is awaited between classification and placement, so that of two messages the second always finds the first.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.decide.classify.denial import outcome
from bot.decide.classify.emptied_edit import asks_nothing
from bot.decide.classify.not_served import comes_back
from bot.decide.classify.own_mention import asks_alone
from bot.intake.debounce import Seat
from bot.intake.early_replies import Early
from bot.models.external import LEFT_ALONE
from bot.models.message import without_mention
from bot.models.thread_event import MessageAdded, Overheard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bot.decide.classify.not_served import Back
    from bot.decide.classify.settlement import SettlingWords
    from bot.intake.alerts import Alerts
    from bot.intake.classification import ClassifiedMessage, MessageClassifier
    from bot.intake.debounce import LeadingMessage, Windows
    from bot.intake.team import Team
    from bot.models.external import External
    from bot.models.message import Message
    from bot.models.status import Mode
    from bot.ports.inbound import CardOperators, ExternalsPort, Mutes, Threads
    from bot.ports.outbound import Clock


@dataclass(frozen=True, slots=True)
class _Heard:
    message: Message
    mode: Mode
    record: dict[str, Any]
    """Journal record, written or about to be."""
    judgement: ClassifiedMessage | None
    """`None` if it was classified before, so that the journal has it already."""
    replayed: bool
    back: Back | None = None
    """Its outcome for the bot's reply above it."""
    external: External | None = None

    @property
    def is_left_alone(self) -> bool:
        """Return whether no question is taken up, since its author is external."""
        return self.record.get("left_alone") == LEFT_ALONE


@dataclass(frozen=True, kw_only=True)
class Taking:
    """Assigner of messages to threads."""

    judging: MessageClassifier
    team: Team
    windows: Windows
    threads: Threads
    mutes: Mutes
    alerts: Alerts
    clock: Clock
    new_id: Callable[[], str]
    operators: CardOperators
    settling: SettlingWords | None = None
    """Phrases by which an asker settles their question; without it no phrase does."""
    externals: ExternalsPort | None = None
    """Lookup of external people; `None` in tests that need none."""
    _early: Early = field(default_factory=Early)
    _on_their_way: dict[str, asyncio.Event] = field(default_factory=dict)
    """Messages and threads in progress; what joins a question or edits a message waits for its event."""

    async def take(
        self, message: Message, mode: Mode, *, replayed: bool = False, known: dict[str, Any] | None = None
    ) -> bool:
        """Classify a message and hand it to its thread if it asks or joins; return whether that changed anything.

        `known` is its record if it was classified before.
        """
        if known is None and await self.mutes.hears(message):
            return True
        external = await self.externals.of_message(message) if self.externals else None
        is_left_alone = external is not None and external.is_left_alone
        judgement = None if known else self.judging.judge(message, self.team.classifier, is_left_alone=is_left_alone)
        journaled = judgement.record if judgement else known or {}
        back = self._comes_back(message, journaled)
        heard = _Heard(message, mode, journaled, judgement, replayed, back, external)
        seat = self._seat(heard)
        with self._under_way(f"{message.chat_id} {message.message_id}"):
            if not seat.anchors:
                return await self._hand_on(heard, seat)
            with self._under_way(message.home):
                return await self._hand_on(heard, seat)

    def after_edit(self, message: Message) -> dict[str, bool]:
        """Return whether an edited message asks by itself, and whether it adds nothing to a question (`is_empty`)."""
        rules = self.team.classifier
        asks = rules.judge(message.rules_text).classification == "actionable"
        return {"asks": asks, "is_empty": not asks and asks_nothing(message.rules_text, rules.reader)}

    async def settled(self, channel: str, ts: str) -> None:
        """Wait until a message that is in progress is assigned."""
        if on_its_way := self._on_their_way.get(f"{channel} {ts}"):
            await on_its_way.wait()

    @contextmanager
    def _under_way(self, name: str) -> Iterator[None]:
        arrived = self._on_their_way[name] = asyncio.Event()
        try:
            yield
        finally:
            arrived.set()
            if self._on_their_way.get(name) is arrived:
                del self._on_their_way[name]

    async def take_early(self, mode_of: Callable[[str], Mode | None]) -> int:
        """Take the early replies of threads that are open now; return the number of changes."""
        count = 0
        for home in self._early.homes():
            mode = mode_of(home.split("-")[1])
            count += await self._take_early(home, mode) if mode else 0
        return count

    def _comes_back(self, message: Message, record: dict[str, Any]) -> Back | None:
        """Read a person's feedback on the bot's reply above, in a thread without open work."""
        place, home = record.get("place", ""), message.home
        if not place or message.sender.type != "user" or self.threads.is_open(home):
            return None
        is_own = self.threads.concerns(home, message.sender.id)
        return comes_back(message.content, place, self.team.classifier, by_asker=is_own)

    def _seat(self, heard: _Heard) -> Seat:
        if heard.mode == "silent":
            return Seat()
        home = heard.record.get("joined")
        if isinstance(home, str):
            self.windows.put(heard.message, home)
            return Seat(joins=home)
        if home := self._settled_or_shown(heard):
            self.windows.note(heard.message, home)
            return Seat(joins=home)
        opens = heard.record.get("classification") == "actionable" and not heard.is_left_alone
        return self.windows.seat(heard.message, heard.record, opens=opens, alone=self._asks_alone(heard.message))

    def _asks_alone(self, message: Message) -> bool:
        """Return whether a message mentions the bot and asks a whole question."""
        rules = self.team.classifier
        if rules.bot_id not in message.mentions:
            return False
        return asks_alone(without_mention(message.rules_text, rules.bot_id), rules.reader)

    def _settled_or_shown(self, heard: _Heard) -> str | None:
        """Return the open question that its asker settles, or adds code or a failure to, with their next message there.

        The lookup comes first because it is cheap; few messages are then parsed.
        """
        home = self.windows.question_before(heard.message)
        if home is None or not self.threads.is_open(home):
            return None
        is_settled = self.settling is not None and self.settling.settles(heard.message.content) == "closes"
        return home if is_settled or (heard.record.get("classification") == "ambient" and _shows(heard)) else None

    async def _hand_on(self, heard: _Heard, seat: Seat) -> bool:
        message, said = heard.message, heard.record.get("classification")
        if heard.judgement:
            said = await self.judging.write(heard.judgement, self.team.classifier, joined=seat.joins)
        if heard.mode == "silent":  # an earlier card may wait; a message makes its draft stale
            return said != "ack" and await self._overhear(message, message.home, replayed=heard.replayed)
        if seat.joins:
            if await self._join(heard, seat, seat.joins):
                return True
            if heard.judgement is None or self.threads.home_of(message.chat_id, message.message_id):
                return False
        if said == "actionable" and heard.back != "fine" and not heard.is_left_alone:
            return await self._ask(heard, seat)
        return await self._hear(heard, is_ack=said == "ack")

    async def _ask(self, heard: _Heard, seat: Seat) -> bool:
        """Open a question, or add to that of its thread."""
        message = heard.message
        if not self._may_open(message):
            return False
        if seat.joins and heard.judgement:  # the question that it joined was not taken up
            self.windows.put(message, message.home)
            await self.judging.write(heard.judgement, self.team.classifier, joined=None)
        added = await self._add(heard, message, message.home, joins=False)
        if opening := self._on_their_way.get(message.home):
            opening.set()
        for before in seat.before:
            await self._lead_up(heard, before, message.home)
        if message.thread_id is None:
            await self._take_early(message.home, heard.mode)
        return added

    async def _join(self, heard: _Heard, seat: Seat, home: str) -> bool:
        """Add a message to its author's newest question, once that has its thread."""
        if opening := self._on_their_way.get(home):
            await opening.wait()
        for before in seat.before:
            await self._lead_up(heard, before, home)
        return await self._add(heard, heard.message, home, joins=True)

    async def _lead_up(self, heard: _Heard, before: LeadingMessage, home: str) -> None:
        """Add a leading message to the question that came after it, and record that in the journal."""
        message = before.message
        await self._add(heard, message, home, joins=True)
        if self.threads.home_of(message.chat_id, message.message_id) == home:
            await self.judging.joined(before.record, home)

    async def _add(self, heard: _Heard, message: Message, home: str, *, joins: bool, asks: bool = True) -> bool:
        mentioned = self.team.classifier.bot_id in message.mentions
        heard_there = await self.mutes.lets_in(home, mentioned=mentioned, at=message.create_time)
        happening = MessageAdded(
            at=self.clock.now(),
            fresh=self.new_id(),
            message=message,
            mode=heard.mode,
            operator=self.operators.first(message.chat_id, message.sender.id),
            mentioned=mentioned,
            joins=joins,
            asks=asks,
            is_served=not asks and (heard.back == "fine" or "served" in _features(heard)),
            denies=heard.back == "denies" and message is heard.message,
            muted=not heard_there,
            replayed=heard.replayed,
            external=heard.external,
        )
        return await self.threads.add(home, happening)

    async def _hear(self, heard: _Heard, *, is_ack: bool) -> bool:
        """Hand on a message that asks nothing: it may join its author's question or close it, but opens none."""
        message = heard.message
        if opening := self._on_their_way.get(message.home):
            await opening.wait()
        is_own = message.sender.type == "user" and self.threads.concerns(message.home, message.sender.id)
        came = outcome(message.content) if is_own else None
        denies = heard.back == "denies" or came == "failed"
        goes_on = came == "goes on" and not self.threads.is_open(message.home)
        if is_ack and not (denies or goes_on):
            home = message.home if is_own else self._thanked_for(message)
            return home is not None and await self._overhear(message, home, replayed=heard.replayed, is_ack=True)
        if is_own or denies:
            back = heard.back is None and "comes_back" in _features(heard)
            asks = goes_on or (back and heard.record.get("classification") == "ambient")
            return await self._add(heard, message, message.home, joins=False, asks=asks)
        if message.thread_id and not self.threads.is_open(message.home):
            self._early.keep(message)
        return await self._overhear(message, message.home, replayed=heard.replayed)

    def _thanked_for(self, message: Message) -> str | None:
        """Return the question that an acknowledgement in the channel must mean: its author's only one, just
        answered."""
        home = self.windows.only_question_before(message)
        is_answered = home and not self.threads.is_open(home) and self.threads.concerns(home, message.sender.id)
        return home if home and is_answered and self.judging.has_just_replied(home, message) else None

    async def _take_early(self, home: str, mode: Mode) -> int:
        """Take the asker's early replies in a thread; return the number of changes."""
        if not self.threads.is_open(home):
            return 0
        replies = self._early.taken(home)
        count = 0
        for reply in replies:
            joined = self.threads.home_of(reply.chat_id, reply.message_id)  # with the reply before it
            if not joined and self.threads.concerns(home, reply.sender.id):
                count += await self.take(reply, mode)
        return count

    async def _overhear(self, message: Message, home: str, *, replayed: bool, is_ack: bool = False) -> bool:
        """Tell an open thread about any message that a person wrote in it; return whether that changed anything."""
        if message.sender.type == "bot" or not (is_ack or self.threads.is_open(home)):
            return False
        news = Overheard(at=self.clock.now(), fresh=self.new_id(), message=message, replayed=replayed, is_ack=is_ack)
        return await self.threads.add(home, news)

    def _may_open(self, message: Message) -> bool:
        """Return whether this message may open a thread: a person's always, an alert bot's after a pause."""
        if message.sender.type == "user":
            return True
        return self.team.classifier.may_ask(message.sender.names) and self.alerts.take(message.home, self.clock.now())


def _shows(heard: _Heard) -> bool:
    """Return whether a message shows code or a failure."""
    return "```" in heard.message.content or not _features(heard).isdisjoint(_SHOWN)


def _features(heard: _Heard) -> set[str]:
    return {str(reason.get("feature")) for reason in heard.record.get("reasons", ())}


_SHOWN = ("trace", "failure_shown")
