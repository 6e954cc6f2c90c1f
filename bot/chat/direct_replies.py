"""Direct replies: answers to messages to the bot itself that need no model (orders, thanks, a line of usage).

An order in plain words goes through the command handler, as `/triage` does. In a channel only its asker sees the
answer; in a direct message it is posted. The audit records each message that was answered, so none is answered twice.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from bot.chat.canned_replies import (
    JOINED,
    LATE,
    NO_ORDER,
    PRACTICE,
    is_it_about_code,
    not_done,
    nothing_runs,
    own_row,
    pointer,
    settled,
    stopped,
)
from bot.chat.clarifying_question import AskedBack
from bot.commands.order_answers import CUT_OFF_ORDER, sections
from bot.commands.permission import NOT_OF_US
from bot.errors import TriageError
from bot.models.interaction import Requester, said_in
from bot.models.markup import named
from bot.models.message import own_words
from bot.models.order import place_of
from bot.models.talk import is_direct
from bot.runtime.retry import patiently
from bot.surfaces.notices import NOTICE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.chat.agent import Mind
    from bot.chat.message_rate import MessageRate
    from bot.chat.reaction_rules import ReactionRules
    from bot.commands.handler import CommandHandler
    from bot.commands.order_answers import OrderAnswers
    from bot.commands.permission import Permission
    from bot.models.message import Message
    from bot.models.named_question import OwnQuestion
    from bot.models.order import Order, Place
    from bot.ports.outbound import Clock, Journal
    from bot.ports.slack import Chat, Marks
    from bot.triage.controls import Controls
    from bot.triage.slack_names import SlackNames

log = logging.getLogger(__name__)

LATE_AFTER = timedelta(minutes=10)
"""Age from which an order is not executed: its asker has left, or asked again."""
THANKS = "+1"
"""Emoji added to thanks."""
TRIES = 5
_LONGEST_WAIT = 30.0
_NAMED_THREAD = {"why": "link", "set_task_status": "task"}
"""Input field by which a command takes a thread other than the one it is given in."""
_OF_THEIR_OWN_THREAD = ("set_active_project",)
"""Orders that apply to the thread that their message begins; all others name a thread or are given in it."""


class _Unfinished(NamedTuple):
    order: Order
    missing: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class DirectReplies:
    """Direct replies to messages that need no model."""

    handler: CommandHandler
    permission: Permission
    controls: Controls
    orders: OrderAnswers
    rate: MessageRate
    chat: Chat
    marks: Marks
    reactions: ReactionRules
    mind: Mind
    naming: SlackNames
    url: str
    """URL of the workspace."""
    audit: Journal
    clock: Clock
    _unfinished: dict[tuple[str, str], _Unfinished] = field(default_factory=dict, repr=False)
    """Orders that lack a field, by sender and channel; after a restart the whole order must be repeated."""

    _asked_back: AskedBack = field(default_factory=AskedBack, repr=False)

    @property
    def is_stopped(self) -> bool:
        """Return whether Triage is stopped (`DirectReplies`)."""
        return self.controls.state == "stopped"

    def can_talk(self) -> bool:
        """Return whether a model is available (`DirectReplies`)."""
        return self.mind.is_ready

    def unfinished(self, message: Message) -> tuple[Order, str] | None:
        """Return the sender's recent order in this place that lacked a field, and that field (`DirectReplies`)."""
        kept = self._unfinished.get((message.sender.id, message.chat_id))
        is_fresh = kept is not None and message.create_time - kept.at <= LATE_AFTER
        return (kept.order, kept.missing) if kept and is_fresh else None

    async def obey(self, message: Message, order: Order, *, was_begun: bool) -> None:
        """Execute an order, and send its asker the answer (`DirectReplies`)."""
        asker = _asker(message, order)
        if self.orders.is_on_record(asker, str(order.command)):
            return  # begun by an earlier process, whose record is delivered
        if not self.rate.takes(message):
            await self._over(message, "order")
        elif was_begun:
            await self._tell(message, CUT_OFF_ORDER, "order", "cut off")
        elif self.clock.now() - message.create_time > LATE_AFTER:
            await self._tell(message, LATE, "order", "late")
        else:
            given = {**self._place(message, order), **order.given}
            if "content" in given:  # saved for people to read
                given["content"] = named(given["content"], await self.naming.names(message.known_names))
            begun = await self.orders.begin(asker, str(order.command))
            answer = await self.handler.execute(str(order.command), given, asker)
            self._unfinished.pop(place := (message.sender.id, message.chat_id), None)
            if answer.missing:
                self._unfinished[place] = _Unfinished(order, answer.missing, message.create_time)
            if answer.outcome == "asked" and is_direct(message.chat_id):  # the buttons are there
                await self.orders.end(asker, begun)
            else:
                send = partial(self._send, message, answer.shown, begun)
                await self.orders.show(asker, begun, answer.shown, send)

    async def thank(self, message: Message) -> None:
        """Add an emoji to thanks, if emoji are allowed there (`DirectReplies`)."""
        if self.reactions.allows(message.chat_id):
            try:
                await self.marks.put_reaction(channel=message.chat_id, ts=message.message_id, name=THANKS)
            except TriageError as problem:
                log.info("thanks of %s got no emoji: %s", message.sender.id, problem)
        await self._record(message, "thanks", "done")

    async def point(self, message: Message, place: Place) -> None:
        """Explain in one line what the bot does here, and how to use it (`DirectReplies`)."""
        if not self.rate.takes(message):
            await self._over(message, "pointer")
        elif refusal := await self.permission.refusal(_asker(message), "member"):
            await self._tell(message, refusal, "pointer", "refused")
        else:
            await self._tell(message, self.line(message, place), "pointer", "done")

    async def refuse(self, message: Message) -> None:
        """Tell a guest, or somebody of another workspace, that this is for members (`DirectReplies`)."""
        if not self.rate.takes(message):
            await self._over(message, "refusal")
        else:
            await self._tell(message, NOT_OF_US, "refusal", "refused")

    async def taken(self, message: Message, *, practice: bool) -> None:
        """Say that a mention joined the question of its thread, or is for practice (`DirectReplies`)."""
        if not self.rate.takes(message):
            await self._over(message, "taken")
        else:
            await self._tell(message, PRACTICE if practice else JOINED, "taken", "done")

    async def not_done(self, message: Message, parts: Sequence[str]) -> None:
        """Name the parts of a request that were not understood (`DirectReplies`)."""
        if not self.rate.takes(message):
            await self._over(message, "several")
        else:
            names = await self.naming.names(message.known_names)
            await self._tell(message, not_done([named(part, names) for part in parts]), "several", "not done")

    async def settled(
        self,
        message: Message,
        *,
        closed: Sequence[OwnQuestion],
        meant: Sequence[OwnQuestion],
        questions: Sequence[OwnQuestion],
        is_order_for_all: bool = False,
    ) -> None:
        """Report the outcome of a message that settles those `meant` of its author's questions (`DirectReplies`)."""
        if not self.rate.takes(message):
            await self._over(message, "settled")
            return
        rows = [own_row(one, self.url) for one in (meant or questions)]
        all_too = is_order_for_all and self.permission.role_of(message.sender.id) == "admin"
        is_closed = len(closed) == len(meant)
        text = settled(rows, is_meant=bool(meant), is_closed=is_closed, may_mean_all=all_too)
        await self._tell(message, text, "settled", "done")

    async def ask_back(self, message: Message, *, is_below: bool) -> None:
        """Ask whether this is about the code, or say that it was not added to the question above (`DirectReplies`)."""
        if not self.rate.takes(message):
            await self._over(message, "asked back")
            return
        if not is_below:
            self._asked_back.keep(message)
        text = is_it_about_code(is_direct=is_direct(message.chat_id), is_below=is_below)
        await self._tell(message, text, "asked back", "done")

    def confirmed(self, message: Message) -> Message | None:
        """Return the message that its sender was asked about and confirms (`DirectReplies`)."""
        return self._asked_back.confirmed(message)

    async def no_order(self, message: Message) -> None:
        """Say that an edit gives no order (`DirectReplies`)."""
        await self._tell(message, NO_ORDER, "edit", "no order")

    async def nothing_runs(self, message: Message) -> None:
        """Say that nothing of the writer's is running (`DirectReplies`)."""
        if not self.rate.takes(message):
            await self._over(message, "call off")
        else:
            await self._tell(
                message, nothing_runs(self.permission.role_of(message.sender.id)), "call off", "nothing ran"
            )

    async def stopped(self, message: Message, *, is_question: bool) -> None:
        """Say that Triage is stopped, and count the message for the admin who resumes it (`DirectReplies`)."""
        await self.controls.count_unheard(message.sender.id)
        text = stopped(role=self.permission.role_of(message.sender.id), is_question=is_question)
        if not self.rate.takes(message):
            await self._over(message, "stopped")
        else:
            await self._tell(message, text, "stopped", "done")

    def line(self, message: Message, place: Place) -> str:
        """Return the line on what the bot does in this place, and how this person uses it."""
        watched = [channel for channel, mode in self.controls.heard_modes().items() if mode == "live"]
        role = self.permission.role_of(message.sender.id)
        return pointer(place, role=role, channels=watched, can_talk=self.can_talk())

    def guidance(self, message: Message) -> str:
        """Return the line on what the bot does where a message was said."""
        direct = is_direct(message.chat_id)
        return self.line(message, "direct" if direct else place_of(self.controls.modes.get(message.chat_id)))

    def _place(self, message: Message, order: Order) -> dict[str, str]:
        """Return the order's thread as an argument, for commands that need one."""
        field = _NAMED_THREAD.get(str(order.command))
        if field is None or message.thread_id is None:
            return {}
        return {field: f"{self.url}archives/{message.chat_id}/p{message.home.rpartition('-')[2].replace('.', '')}"}

    async def _over(self, message: Message, action: str) -> None:
        await self.rate.meet(message)
        await self._record(message, action, "over the rate")

    async def _tell(self, message: Message, text: str, action: str, result: str) -> None:
        await self._show(message, {"text": text})
        await self._record(message, action, result)

    async def _show(self, message: Message, shown: dict[str, Any]) -> None:
        """Send an answer to its writer alone: as a message in a direct message, as an ephemeral one elsewhere."""
        try:
            await patiently(self.clock, lambda: self._send(message, shown), longest=_LONGEST_WAIT, tries=TRIES)
        except TriageError as problem:
            log.warning("%s was not answered: %s", message.sender.id, problem)

    async def _send(self, message: Message, shown: dict[str, Any], nonce: str = "") -> None:
        root = message.home.rpartition("-")[2]
        if is_direct(message.chat_id):
            payload = {"kind": "notice", **({"nonce": nonce} if nonce else {})}
            metadata = {"event_type": NOTICE, "event_payload": payload}
            blocks = shown.get("blocks") or sections(shown["text"])
            await self.chat.post(
                channel=message.chat_id, thread_ts=root, text=shown["text"], blocks=blocks, metadata=metadata
            )
            return
        thread = root if message.thread_id is not None else None
        await self.chat.notice(channel=message.chat_id, user=message.sender.id, thread_ts=thread, **shown)

    async def _record(self, message: Message, action: str, result: str) -> None:
        said = _asker(message).model_dump(mode="json", exclude={"text"})
        at = self.clock.now().isoformat()
        await self.audit.append({"kind": "direct", "at": at, **said, "action": action, "result": result})


def _asker(message: Message, order: Order | None = None) -> Requester:
    begins = order is not None and order.command in _OF_THEIR_OWN_THREAD
    return Requester(
        text=own_words(message),
        interaction_id=said_in(message),
        team_id=message.team_id,
        user_id=message.sender.id,
        channel_id=message.chat_id,
        thread_id=message.home if begins else message.thread_id,
        via="thread",
        looks_at=message.page.channel_id if message.page else "",
    )
