"""What was said in a conversation before, read from the thread itself: the asker's words and the bot's answers.

Called by `assistant/talking`. Others' messages, cards and notices never reach the agent; `assistant/history` makes
lines of the rest.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from bot.assistant.history import Summaries, compacted
from bot.errors import TriageError
from bot.models.conversation import Spoken
from bot.models.message import plain_text
from bot.triage.ground_truth import ANSWER

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.models.conversation import Line
    from bot.models.talk import TalkTurn
    from bot.slack_ports import Chat, History

log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Remembering:
    """Reads threads. `bot_user_id` is the bot's own user."""

    history: History
    chat: Chat
    bot_user_id: str
    _summaries: Summaries = field(default_factory=Summaries)

    def words(self, turn: TalkTurn) -> str:
        """What was said in a turn, without the mention of the bot."""
        return self._without_mention(turn.message.content)

    async def of(self, turn: TalkTurn, summarize: Callable[[str], Awaitable[str | None]]) -> tuple[str, list[Line]]:
        """The asker's name, and what they and the bot have said before."""
        name = await self._name(turn.message.sender.id)
        spoken = [one for said in await self._thread(turn) if (one := self._spoken(turn, said, name))]
        conversation = f"{turn.message.home} {turn.message.sender.id}"  # a summary holds one person's words
        return name, await compacted(spoken, conversation=conversation, summaries=self._summaries, summarize=summarize)

    async def _thread(self, turn: TalkTurn) -> list[dict[str, Any]]:
        """The messages of the thread; a message that opens one has nothing before it."""
        if turn.message.thread_id is None:
            return []
        channel, root = turn.message.chat_id, turn.root_ts
        try:
            first = await self.history.message(channel=channel, ts=root)
            replies = await self.history.replies_since(channel=channel, thread_ts=root, oldest="0")
        except TriageError as problem:
            log.warning("turn %s goes without what was said before: %s", turn.turn_id, problem)
            return []
        return [first, *replies] if first else replies

    def _spoken(self, turn: TalkTurn, said: dict[str, Any], name: str) -> Spoken | None:
        """A message of the asker from before this one, or an answer of the bot's; `None` for any other."""
        text = self._without_mention(plain_text(str(said.get("text") or "")))
        if said.get("user") == self.bot_user_id:
            if (said.get("metadata") or {}).get("event_type") != ANSWER:
                return None
            return Spoken(ts=said["ts"], author_name="Triage", is_bot=True, text=text)
        if said.get("user") != turn.message.sender.id or said.get("bot_id"):
            return None
        if Decimal(said["ts"]) >= Decimal(turn.message.message_id):
            return None
        return Spoken(ts=said["ts"], author_name=name, is_bot=False, text=text)

    def _without_mention(self, text: str) -> str:
        return " ".join(text.replace(f"@{self.bot_user_id}", " ").split(" ")).strip()

    async def _name(self, user: str) -> str:
        try:
            return await self.chat.user_name(user)
        except TriageError as problem:
            log.warning("the name of %s is unknown: %s", user, problem)
            return user
