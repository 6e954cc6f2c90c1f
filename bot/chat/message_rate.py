"""Rate of what one person says to the bot: how much of it is taken, and how what is over is met."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.chat.canned_replies import OVER
from bot.decide.admission import Bucket, Rate, take
from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from bot.models.message import Message
    from bot.ports.outbound import Clock
    from bot.ports.slack import Marks

log = logging.getLogger(__name__)

TOLD_EVERY = timedelta(minutes=1)
"""How often somebody is told that it is too much."""


def words_rate(questions: Rate) -> Rate:
    """Return the rate of words said to the bot: as many a minute as questions, and no more of them at once."""
    return replace(questions, burst=max(1, min(questions.burst, round(questions.per_minute))))


@dataclass(frozen=True, kw_only=True)
class MessageRate:
    """Counts by person. `tell` says a line to a message's writer alone; `emoji` is put under what is not taken."""

    rate: Rate
    tell: Callable[[Message, str], Awaitable[None]]
    marks: Marks
    emoji: Callable[[str], str | None]
    """The emoji's name in a channel; `None` where none may stand."""
    clock: Clock
    _buckets: dict[str, Bucket] = field(default_factory=dict)
    _told: dict[str, datetime] = field(default_factory=dict)
    """When each was told last."""

    def takes(self, message: Message, *, busy: bool = False) -> bool:
        """Return whether a message is taken, which counts then; `busy` says that too much of its writer's is open
        already."""
        who = message.sender.id
        bucket, at = take(self._buckets.get(who), self.rate, now := self.clock.now())
        if busy or at > now:
            return False
        self._buckets[who] = bucket
        return True

    async def meet(self, message: Message) -> None:
        """Meet a message that is not taken: an emoji under it, and once a minute a line that says why."""
        who, now = message.sender.id, self.clock.now()
        last = self._told.get(who)
        if last is None or not timedelta() <= now - last < TOLD_EVERY:
            self._told[who] = now
            await self.tell(message, OVER)
        if name := self.emoji(message.chat_id):
            try:
                await self.marks.put_reaction(channel=message.chat_id, ts=message.message_id, name=name)
            except TriageError as problem:
                log.info("a message over the rate got no emoji: %s", problem)
