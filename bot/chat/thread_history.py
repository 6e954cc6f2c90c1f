"""Thread history of a conversation: the asker's messages and the bot's answers, from the thread and its record.

Others' messages, cards and notices never reach the agent; `chat/history` formats the rest.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from bot.chat.history import Summaries, build_history, strip_marks
from bot.errors import TriageError
from bot.models.conversation import ChatMessage
from bot.models.conversation_record import root_of
from bot.models.markup import fill_names
from bot.models.message import without_mention
from bot.models.pasted import is_pasted
from bot.runtime.retry import call_with_retries
from bot.triage.ground_truth import ANSWER

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.chat.past_orders import PastOrders
    from bot.chat.wording import ChatWording
    from bot.models.conversation import ChatLine
    from bot.models.conversation_record import ConversationRecord, EphemeralAnswer, TurnRecord
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat, History

Read = TypeVar("Read")

log = logging.getLogger(__name__)

UNDELIVERED = "[Not delivered yet, since Slack did not take it:]"
"""Prefix of an answer that nobody has read."""
_TRIES = 3
"""Number of attempts to read a thread, as in `GroundTruth`."""
_WAIT = 1.0
"""Seconds after the first attempt; doubled each time."""


class EarlierMessages(NamedTuple):
    """Messages before a turn."""

    name: str
    """Display name of the asker."""
    lines: list[ChatLine] | None
    """History of asker and bot; `None` if it cannot be read."""
    is_foreign: bool = False
    """True if the history may contain text by other people."""


@dataclass(frozen=True, kw_only=True)
class ThreadHistory:
    """Reader of threads. `bot_user_id` is the bot's own user."""

    history: History
    chat: Chat
    bot_user_id: str
    clock: Clock
    wording: ChatWording
    past_orders: PastOrders
    _summaries: Summaries = field(default_factory=Summaries)

    async def read_message(self, turn: TurnRecord) -> str:
        """Return a turn's message with names for ids, without the mention of the bot."""
        names = await self.wording.naming.names(turn.message.known_names)
        self.wording.allow_mentions(turn.asker, names)
        return fill_names(without_mention(turn.message.content, self.bot_user_id), names)

    async def load(
        self,
        turn: TurnRecord,
        conversations: Sequence[ConversationRecord],
        summarize: Callable[[str], Awaitable[str | None]],
    ) -> EarlierMessages:
        """Load the messages before a turn. The thread's texts decide whether it contains text by other people, not the
        record alone.

        `conversations` is its own conversation, after those that it continues (`chat/conversation_records`).
        """
        *before, record = conversations
        name = await self._name(turn.message.sender.id)
        thread = await self._thread(turn, before)
        if thread is None:
            return EarlierMessages(name, None)
        chat_messages = [line for message in thread if (line := self._to_message(turn, message, name))]
        if turn.message.thread_id is not None:
            chat_messages += [
                _bot_message(press.ts, f"{press.said[:1]}{strip_marks(press.said[1:])}") for press in record.presses
            ]
            chat_messages += [
                _bot_message(f"{each.kept_at.timestamp():.6f}", f"{UNDELIVERED} {strip_marks(each.text)}")
                for each in record.unsent
                if not each.user
            ]
            chat_messages += await self.past_orders.list_messages(turn)
        texts = await self.wording.convert([line.text for line in chat_messages], turn.asker)
        chat_messages = [line.evolve(text=text) for line, text in zip(chat_messages, texts, strict=True)]
        records = conversations if turn.message.thread_id is not None else before
        chat_messages += [  # the model's own words need no conversion
            _ephemeral_message(line, each)
            for each in records
            for line in each.shown
            if line.user == turn.message.sender.id
        ]
        conversation = f"{turn.message.home} {turn.message.sender.id}"  # a summary contains one person's messages
        lines = await build_history(
            chat_messages, conversation=conversation, summaries=self._summaries, summarize=summarize
        )
        return EarlierMessages(
            name, lines, is_foreign=any(each.tainted for each in before) or self._is_foreign(turn, record, thread)
        )

    def _is_foreign(self, turn: TurnRecord, record: ConversationRecord, thread: list[dict[str, Any]]) -> bool:
        """Return whether the history contains text by other people: pasted, or in answers without a record."""
        own = [message for message in thread if message.get("user") == turn.message.sender.id]
        is_forgotten = not record.done and any(self._is_answer(message) for message in thread)
        return is_forgotten or any(is_pasted(message) for message in own)

    def _is_answer(self, message: dict[str, Any]) -> bool:
        return message.get("user") == self.bot_user_id and (message.get("metadata") or {}).get("event_type") == ANSWER

    async def _thread(self, turn: TurnRecord, before: Sequence[ConversationRecord]) -> list[dict[str, Any]] | None:
        """Return the messages of the thread; for a message outside threads, the openers of the conversations it
        continues."""
        channel, root = turn.message.chat_id, turn.root_ts
        try:
            if turn.message.thread_id is None:
                return [opener for record in before if (opener := await self._opener(channel, record))]
            first = await self._retry(lambda: self.history.message(channel=channel, ts=root))
            replies = await self._retry(lambda: self.history.replies_since(channel=channel, thread_ts=root, oldest="0"))
        except TriageError as problem:
            log.warning("turn %s goes without what was said before: %s", turn.turn_id, problem)
            return None
        return [first, *replies] if first else replies

    async def _opener(self, channel: str, record: ConversationRecord) -> dict[str, Any] | None:
        return await self._retry(lambda: self.history.message(channel=channel, ts=root_of(record.conversation)))

    async def _retry(self, call: Callable[[], Awaitable[Read]]) -> Read:
        return await call_with_retries(self.clock, call, after=_WAIT / 2, tries=_TRIES)

    def _to_message(self, turn: TurnRecord, message: dict[str, Any], name: str) -> ChatMessage | None:
        """Convert an earlier message of the asker, or an answer of the bot; `None` for any other."""
        text = str(message.get("text") or "").replace(f"<@{self.bot_user_id}>", " ").strip()
        if message.get("user") == self.bot_user_id:
            return _bot_message(message["ts"], strip_marks(text)) if self._is_answer(message) else None
        if message.get("user") != turn.message.sender.id or message.get("bot_id"):
            return None
        if Decimal(message["ts"]) >= Decimal(turn.message.message_id):
            return None
        return ChatMessage(ts=message["ts"], author_name=name, is_bot=False, text=text)

    async def _name(self, user: str) -> str:
        try:
            return await self.chat.user_name(user)
        except TriageError as problem:
            log.warning("the name of %s is unknown: %s", user, problem)
            return user


def _bot_message(ts: str, text: str) -> ChatMessage:
    return ChatMessage(ts=ts, author_name="Triage", is_bot=True, text=text)


def _ephemeral_message(ephemeral: EphemeralAnswer, record: ConversationRecord) -> ChatMessage:
    """Convert an ephemeral answer, marked if the asker cannot have read it yet."""
    is_late, text = any(ephemeral.holds(each.nonce) for each in record.unsent), strip_marks(ephemeral.said)
    return _bot_message(ephemeral.ts, f"{UNDELIVERED} {text}" if is_late else text)
