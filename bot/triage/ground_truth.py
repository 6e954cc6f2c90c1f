"""Ground truth: the bot's messages in a thread as Slack has them, not as the bot remembers them.

Read before a silent-exit alarm, after a restart, and before a draft is approved (spec 4).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from bot.errors import RetryLater, TriageError
from bot.surfaces.card_search import CARD
from bot.triage.delivery import REPLY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.ports.outbound import Clock
    from bot.ports.slack import History

log = logging.getLogger(__name__)

ANSWER = "triage_answer"
"""`event_type` of the chat agent's messages; the payload has their `turn`."""

NO_ANSWERS = frozenset({"notice", "practice", "status"})
"""Values of `kind` in the metadata of messages that answer nobody."""

_WAITS = (1.0, 4.0)
"""Seconds between attempts to read."""
_LONGEST_WAIT = 60.0
_SPOKEN_SUBTYPES = (None, "thread_broadcast", "file_share", "me_message")
"""Subtypes of messages that the bot wrote; others, such as joins, are written by Slack."""


@dataclass(frozen=True, kw_only=True)
class GroundTruth:
    """Reader of the bot's messages. `bot_user_id` is the bot's user."""

    history: History
    bot_user_id: str
    clock: Clock

    async def has_spoken(
        self, channel: str, thread_ts: str | None, since: str, *, turn: str | None = None
    ) -> bool | None:
        """Return whether the bot wrote at or after `since`, in a thread or in the channel itself.

        As `said_at`; `None` if Slack cannot be read.
        """
        said_at = await self.said_at(channel, thread_ts, since, turn=turn)
        return None if said_at is None else bool(said_at)

    async def said_at(self, channel: str, thread_ts: str | None, since: str, *, turn: str | None = None) -> str | None:
        """Return the ts of the bot's newest message at or after `since`, empty if there is none.

        `since` is a ts from Slack, since this machine's clock may be wrong. Messages of other turns than `turn` do not
        count. `None` if Slack cannot be read; raises no `TriageError`.
        """
        for wait in (*_WAITS, None):
            try:
                messages = await self._read(channel, thread_ts, since)
            except TriageError as problem:
                log.warning("%s, thread %s cannot be read: %s", channel, thread_ts, problem)
                if wait is None or not isinstance(problem, RetryLater):
                    return None
                await self.clock.sleep(max(wait, min(problem.after, _LONGEST_WAIT)))
            else:
                return self.newest_ts(messages, since, turn=turn) or ""
        return None

    def newest_ts(
        self, messages: Iterable[dict[str, Any]], since: str, *, turn: str | None = None, thread_id: str | None = None
    ) -> str | None:
        """Return the ts of the bot's newest message among `messages`, at or after `since`.

        With `thread_id`, replies of that thread's own drafts and the chat agent's messages do not count: neither makes
        a draft stale.
        """
        spoken = [
            message["ts"]
            for message in messages
            if self._is_answer(message, turn, thread_id) and Decimal(message["ts"]) >= Decimal(since)
        ]
        return max(spoken, key=Decimal, default=None)

    async def _read(self, channel: str, thread_ts: str | None, since: str) -> list[dict[str, Any]]:
        """Read the messages since. An answer to a message of the channel may be in the channel or in its thread."""
        before = f"{Decimal(since) - Decimal('0.000001'):.6f}"  # Slack leaves out what is as old as `oldest`
        if thread_ts is not None:
            return await self.history.replies_since(channel=channel, thread_ts=thread_ts, oldest=before)
        messages = await self.history.messages_since(channel=channel, oldest=before)
        for message in [message for message in messages if message["ts"] == since and message.get("reply_count")]:
            messages += await self.history.replies_since(channel=channel, thread_ts=message["ts"], oldest=before)
        return messages

    def _is_answer(self, message: dict[str, Any], turn: str | None, thread_id: str | None) -> bool:
        if message.get("user") != self.bot_user_id or message.get("subtype") not in _SPOKEN_SUBTYPES:
            return False
        metadata = message.get("metadata") or {}
        kind, payload = metadata.get("event_type"), metadata.get("event_payload") or {}
        if kind == CARD or payload.get("kind") in NO_ANSWERS:
            return False
        if kind == ANSWER:
            return thread_id is None and (turn is None or bool(payload.get("turn", turn) == turn))
        return not (kind == REPLY and thread_id and str(payload.get("draft_id")).startswith(f"{thread_id}/"))
