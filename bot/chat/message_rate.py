"""Rate limit of one person's messages to the bot, and the reply to messages over it."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.chat.canned_replies import TOO_MANY_MESSAGES
from bot.decide.admission import Bucket, Rate, take
from bot.errors import TriageError

if TYPE_CHECKING:
    from datetime import datetime

    from bot.chat.reaction_rules import ReactionRules
    from bot.chat.reply_poster import ReplyPoster
    from bot.models.message import Message
    from bot.ports.outbound import Clock
    from bot.ports.slack import ReactionWriter

log = logging.getLogger(__name__)

NOTIFY_EVERY = timedelta(minutes=1)
"""Interval between notices to one person that they are over the rate."""


def build_message_rate(questions: Rate) -> Rate:
    """Return the rate of messages to the bot: as many per minute as questions, with no larger burst."""
    return replace(questions, burst=max(1, min(questions.burst, round(questions.per_minute))))


@dataclass(frozen=True, kw_only=True)
class MessageRate:
    """Rate limit by person, who is told of rejected messages."""

    rate: Rate
    poster: ReplyPoster
    reactions: ReactionWriter
    rules: ReactionRules
    clock: Clock
    _buckets: dict[str, Bucket] = field(default_factory=dict)
    _told_at: dict[str, datetime] = field(default_factory=dict)
    """Time of each person's last notice."""

    def try_accept(self, message: Message, *, busy: bool = False) -> bool:
        """Count a message and return whether it is accepted; `busy`: too many turns of its writer are open already."""
        who = message.sender.id
        bucket, at = take(self._buckets.get(who), self.rate, now := self.clock.now())
        if busy or at > now:
            return False
        self._buckets[who] = bucket
        return True

    async def report_excess(self, message: Message) -> None:
        """Respond to a rejected message: add an emoji, and once a minute explain why."""
        who, now = message.sender.id, self.clock.now()
        last = self._told_at.get(who)
        if last is None or not timedelta() <= now - last < NOTIFY_EVERY:
            self._told_at[who] = now
            await self.poster.notify(message, TOO_MANY_MESSAGES)
        if name := self.rules.failure(message.chat_id):
            try:
                await self.reactions.add_reaction(channel=message.chat_id, ts=message.message_id, name=name)
            except TriageError as problem:
                log.info("a message over the rate got no emoji: %s", problem)
