"""Direct replies: answers to messages to the bot itself that need no model (orders, thanks, a line of usage).

An order in plain words goes through the command handler, as `/triage` does. In a channel only its asker sees the
answer; in a direct message it is posted. The audit records each message that was answered, so none is answered twice.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.chat.canned_replies import (
    JOINED,
    NO_ORDER,
    PRACTICE,
    TOO_OLD,
    format_code_question,
    format_not_understood,
    format_nothing_running,
    format_own_question,
    format_settlement,
    format_stopped,
    format_usage_hint,
)
from bot.chat.clarifying_question import ClarifyingQuestions
from bot.chat.incomplete_orders import IncompleteOrders
from bot.chat.order_requester import find_requester
from bot.commands.command import find_spec
from bot.commands.order_answers import INTERRUPTED, describe_cut_off, split_sections
from bot.commands.permission import NOT_OF_US
from bot.errors import TriageError
from bot.models.conversation_record import is_direct
from bot.models.markup import fill_names
from bot.models.order import place_of
from bot.runtime.retry import call_with_retries
from bot.surfaces.notices import NOTICE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat.agent import ChatAgentFactory
    from bot.chat.message_rate import MessageRate
    from bot.chat.reaction_rules import ReactionRules
    from bot.commands.handler import CommandHandler
    from bot.commands.order_answers import OrderAnswers
    from bot.models.message import Deletion, Message
    from bot.models.named_question import OwnQuestion
    from bot.models.order import Order, Place
    from bot.ports.slack import ReactionWriter
    from bot.triage.controls import Controls
    from bot.triage.slack_names import SlackNames

log = logging.getLogger(__name__)

MAX_AGE = timedelta(minutes=10)
"""Age from which an order is not executed: its asker has left, or asked again."""
THANKS_EMOJI = "+1"
"""Emoji added to thanks."""
MAX_TRIES = 5
_LONGEST_WAIT = 30.0
_THREAD_FIELDS = {"why": "link", "set_task_status": "task"}
"""Input field by which a command takes a thread other than the one it is given in."""


@dataclass(frozen=True, kw_only=True)
class DirectReplies:
    """Direct replies to messages that need no model: the `DirectRepliesPort` of intake."""

    handler: CommandHandler
    controls: Controls
    orders: OrderAnswers
    rate: MessageRate
    marks: ReactionWriter
    reactions: ReactionRules
    mind: ChatAgentFactory
    naming: SlackNames
    _incomplete: IncompleteOrders = field(default_factory=IncompleteOrders, repr=False)
    _clarifying: ClarifyingQuestions = field(default_factory=ClarifyingQuestions, repr=False)

    @property
    def is_stopped(self) -> bool:
        """Return whether Triage is stopped."""
        return self.controls.state == "stopped"

    def can_talk(self) -> bool:
        """Return whether a model is available."""
        return self.mind.is_ready

    def note_message(self, message: Message) -> None:
        """Note a new message: it may complete its sender's last order, or cancel it."""
        self._incomplete.note(message)

    def note_revision(self, revised: Message | Deletion) -> None:
        """Cancel the incomplete order of a message that was edited or deleted."""
        self._incomplete.revise(revised)

    def find_incomplete_message(self, message: Message) -> Message | None:
        """Return the message of the sender's order in this place that this message may complete."""
        return self._incomplete.find_message(message)

    def drop_incomplete_order(self, original: Message) -> None:
        """Cancel the incomplete order of a message."""
        self._incomplete.drop(original)

    def find_incomplete_order(self, message: Message) -> tuple[Order, str] | None:
        """Return the sender's order in this place that this message may complete, and its missing field."""
        return self._incomplete.find(message)

    async def run_order(self, message: Message, order: Order, *, was_started: bool) -> None:
        """Execute an order, and send its asker the answer."""
        asker = find_requester(message, order)
        if self.orders.is_on_record(asker, str(order.command)):  # begun by an earlier process: its record is delivered
            await self.handler.record_late(str(order.command), order.arguments, asker, INTERRUPTED)
            return
        if not self.rate.try_accept(message):
            await self._reject_over_rate(message, "order")
        elif was_started:
            spec = find_spec(str(order.command), self.handler.catalogue)
            await self._answer(message, describe_cut_off(spec), "order", "cut off")
        elif self.handler.clock.now() - message.create_time > MAX_AGE:
            await self._answer(message, TOO_OLD, "order", "late")
        else:
            arguments = {**self._thread_argument(message, order), **order.arguments}
            if "content" in arguments:  # saved for people to read
                arguments["content"] = fill_names(arguments["content"], await self.naming.names(message.known_names))
            nonce = await self.orders.begin(asker, str(order.command))
            self._incomplete.begin(message, order)
            answer = await self.handler.execute(str(order.command), arguments, asker)
            self._incomplete.end(message, answer.missing)
            if answer.outcome == "asked" and is_direct(message.chat_id):  # the buttons are there
                await self.orders.end(asker, nonce)
            else:
                send = partial(self._send, message, answer.payload, nonce)
                await self.orders.show(asker, nonce, answer.payload, send)

    async def answer_thanks(self, message: Message) -> None:
        """Add an emoji to thanks, if emoji are allowed there."""
        if self.reactions.allows(message.chat_id):
            try:
                await self.marks.add_reaction(channel=message.chat_id, ts=message.message_id, name=THANKS_EMOJI)
            except TriageError as problem:
                log.info("thanks of %s got no emoji: %s", message.sender.id, problem)
        await self._record(message, "thanks", "done")

    async def explain_usage(self, message: Message, place: Place) -> None:
        """Explain in one line what the bot does here, and how to use it."""
        if not self.rate.try_accept(message):
            await self._reject_over_rate(message, "pointer")
        elif refusal := await self.handler.permission.refusal(find_requester(message), "member"):
            await self._answer(message, refusal, "pointer", "refused")
        else:
            await self._answer(message, self.format_usage_hint(message, place), "pointer", "done")

    async def refuse_guest(self, message: Message) -> None:
        """Tell a guest, or somebody of another workspace, that this is for members."""
        if not self.rate.try_accept(message):
            await self._reject_over_rate(message, "message")
        else:
            await self._answer(message, NOT_OF_US, "message", "refused")

    async def confirm_assignment(self, message: Message, *, practice: bool) -> None:
        """Say that a mention joined the question of its thread, or is for practice."""
        if not self.rate.try_accept(message):
            await self._reject_over_rate(message, "taken")
        else:
            await self._answer(message, PRACTICE if practice else JOINED, "taken", "done")

    async def report_not_understood(self, message: Message, parts: Sequence[str]) -> None:
        """Name the parts of a request that were not understood."""
        if not self.rate.try_accept(message):
            await self._reject_over_rate(message, "several")
        else:
            names = await self.naming.names(message.known_names)
            await self._answer(
                message, format_not_understood([fill_names(part, names) for part in parts]), "several", "not done"
            )

    async def report_settlement(
        self,
        message: Message,
        *,
        closed: Sequence[OwnQuestion],
        candidates: Sequence[OwnQuestion],
        questions: Sequence[OwnQuestion],
        is_order_for_all: bool = False,
    ) -> None:
        """Report the outcome of a message that settles the `candidates` among its author's questions."""
        if not self.rate.try_accept(message):
            await self._reject_over_rate(message, "settled")
            return
        rows = [format_own_question(question, self.handler.url) for question in (candidates or questions)]
        all_too = is_order_for_all and self.handler.permission.role_of(message.sender.id) == "admin"
        is_closed = len(closed) == len(candidates)
        text = format_settlement(rows, is_meant=bool(candidates), is_closed=is_closed, may_mean_all=all_too)
        await self._answer(message, text, "settled", "done")

    async def ask_if_code_question(self, message: Message, *, is_in_others_thread: bool) -> None:
        """Ask whether this is about the code, or say that it was not added to the question above."""
        if not self.rate.try_accept(message):
            await self._reject_over_rate(message, "asked back")
            return
        if not is_in_others_thread:
            self._clarifying.save(message)
        text = format_code_question(is_direct=is_direct(message.chat_id), is_below=is_in_others_thread)
        await self._answer(message, text, "asked back", "done")

    def find_confirmed(self, message: Message) -> Message | None:
        """Return the message that its sender was asked about and confirms."""
        return self._clarifying.find_confirmed(message)

    async def explain_no_order(self, message: Message) -> None:
        """Say that an edit gives no order."""
        await self._answer(message, NO_ORDER, "edit", "no order")

    async def report_nothing_running(self, message: Message) -> None:
        """Say that nothing of the writer's is running."""
        if not self.rate.try_accept(message):
            await self._reject_over_rate(message, "call off")
        else:
            role = self.handler.permission.role_of(message.sender.id)
            await self._answer(message, format_nothing_running(role), "call off", "nothing ran")

    async def report_stopped(self, message: Message, *, is_question: bool) -> None:
        """Say that Triage is stopped, and count the message for the admin who resumes it."""
        await self.controls.count_unheard(message.sender.id)
        text = format_stopped(role=self.handler.permission.role_of(message.sender.id), is_question=is_question)
        if not self.rate.try_accept(message):
            await self._reject_over_rate(message, "stopped")
        else:
            await self._answer(message, text, "stopped", "done")

    def format_usage_hint(self, message: Message, place: Place) -> str:
        """Return the line on what the bot does in this place, and how this person uses it."""
        watched = [channel for channel, mode in self.controls.heard_modes().items() if mode == "live"]
        role = self.handler.permission.role_of(message.sender.id)
        return format_usage_hint(place, role=role, channels=watched, can_talk=self.can_talk())

    def guidance(self, message: Message) -> str:
        """Return the line on what the bot does where a message was said."""
        direct = is_direct(message.chat_id)
        return self.format_usage_hint(
            message, "direct" if direct else place_of(self.controls.modes.get(message.chat_id))
        )

    def _thread_argument(self, message: Message, order: Order) -> dict[str, str]:
        """Return the order's thread as an argument, for commands that need one."""
        field = _THREAD_FIELDS.get(str(order.command))
        if field is None or message.thread_id is None:
            return {}
        return {
            field: f"{self.handler.url}archives/{message.chat_id}/p{message.home.rpartition('-')[2].replace('.', '')}"
        }

    async def _reject_over_rate(self, message: Message, action: str) -> None:
        await self.rate.report_excess(message)
        await self._record(message, action, "over the rate")

    async def _answer(self, message: Message, text: str, action: str, result: str) -> None:
        await self._show(message, {"text": text})
        await self._record(message, action, result)

    async def _show(self, message: Message, payload: dict[str, Any]) -> None:
        """Send an answer to its writer alone: as a message in a direct message, as an ephemeral one elsewhere."""
        try:
            await call_with_retries(
                self.handler.clock, lambda: self._send(message, payload), longest=_LONGEST_WAIT, tries=MAX_TRIES
            )
        except TriageError as problem:
            log.warning("%s was not answered: %s", message.sender.id, problem)

    async def _send(self, message: Message, content: dict[str, Any], nonce: str = "") -> None:
        root = message.home.rpartition("-")[2]
        if is_direct(message.chat_id):
            payload = {"kind": "notice", **({"nonce": nonce} if nonce else {})}
            metadata = {"event_type": NOTICE, "event_payload": payload}
            blocks = content.get("blocks") or split_sections(content["text"])
            await self.handler.chat.post(
                channel=message.chat_id, thread_ts=root, text=content["text"], blocks=blocks, metadata=metadata
            )
            return
        thread = root if message.thread_id is not None else None
        await self.handler.chat.post_ephemeral(
            channel=message.chat_id, user=message.sender.id, thread_ts=thread, **content
        )

    async def _record(self, message: Message, action: str, result: str) -> None:
        requester = find_requester(message).model_dump(mode="json", exclude={"text"})
        at = self.handler.clock.now().isoformat()
        await self.handler.audit.append({"kind": "direct", "at": at, **requester, "action": action, "result": result})
