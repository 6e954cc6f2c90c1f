"""Rate limiter: limits investigations by asker, channel and workspace, with token buckets.

A question over the limit stays `collecting`, on disk, with a later `due_at`; none is dropped. The buckets are in memory
only; after a restart they are restored from the waiting documents.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.admission import Bucket, Quotas, count_ahead, handed_out, levels_left, member, take
from bot.models.thread_event import Due, Postponed
from bot.models.waiting import Waiting

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.thread import Thread
    from bot.models.thread_event import ThreadEvent
    from bot.models.waiting import Level

_MANY = 1_000
"""Number of buckets from which on full ones are forgotten."""


@dataclass
class RateLimiter:
    """Token buckets of all askers, channels and workspaces."""

    quotas: Quotas = field(default_factory=Quotas)
    _buckets: dict[tuple[Level, str], Bucket] = field(default_factory=dict)
    _next_news: int = 1

    def delay_if_limited(self, thread: Thread | None, event: ThreadEvent) -> ThreadEvent:
        """Return the event itself, or `Postponed` in place of a `Due` whose question is over the limit."""
        if not isinstance(event, Due) or thread is None or thread.status != "collecting":
            return event
        if thread.due_at is None or event.at < thread.due_at:
            return event  # late or a duplicate: the workflow ignores it
        for level in levels_left(thread.waiting):
            rate, now = self.quotas.rate_of(level), event.at
            key = (level, member(thread, level))
            self._buckets[key], turn = take(self._buckets.get(key), rate, now)
            self._forget_full(now)
            if turn > now:
                waiting = Waiting(level=level, ahead=count_ahead(turn, rate, now))
                return Postponed(at=now, fresh=event.fresh, until=turn, waiting=waiting)
        return event

    def restore(self, thread: Thread) -> None:
        """Restore the bucket of a question that was waiting at the last stop, so that new questions queue behind it."""
        if thread.waiting is None or thread.due_at is None:
            return
        key = (thread.waiting.level, member(thread, thread.waiting.level))
        bucket = handed_out(thread.due_at, self.quotas.rate_of(thread.waiting.level), thread.last_event_at)
        current = self._buckets.get(key)
        self._buckets[key] = bucket if current is None or current.full_at < bucket.full_at else current

    def backlog_notice(self, thread: Thread, waiting: int) -> str | None:
        """Return the operator's notice about the backlog, at 1, 10, 100 … waiting questions, else `None`."""
        if waiting <= 1:
            self._next_news = 1
        if thread.waiting is None or waiting < self._next_news:
            return None
        while self._next_news <= waiting:
            self._next_news *= 10
        who = f"<@{thread.original_sender_id}>" if thread.waiting.level == "user" else f"<#{thread.chat_id}>"
        last_question = (
            f"the last one was asked by {who}" if thread.waiting.level == "user" else f"the last one in {who}"
        )
        many = "One question waits for its turn" if waiting == 1 else f"{waiting} questions wait for their turn"
        return f"{many} because of the rate limit; {last_question}. None is lost: each card shows when it starts."

    def _forget_full(self, now: datetime) -> None:
        if len(self._buckets) > _MANY:
            left = {key: bucket for key, bucket in self._buckets.items() if bucket.full_at > now}
            self._buckets = left
