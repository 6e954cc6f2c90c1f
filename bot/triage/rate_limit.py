"""The floodgate: before a question is investigated it has its turn among those of its asker, channel and workspace.

What is over stays `collecting`, on disk, with a later `due_at`; nothing is dropped. The buckets are in memory only:
after a restart the documents that wait say how far their lines had come.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.admission import Bucket, Quotas, ahead, handed_out, levels_left, member, take
from bot.models.thread_event import Due, Postponed
from bot.models.waiting import Waiting

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.thread import Thread
    from bot.models.thread_event import Happening
    from bot.models.waiting import Level

_MANY = 1_000
"""From so many buckets on, those that are full again are forgotten."""


@dataclass
class Floodgate:
    """All buckets."""

    quotas: Quotas = field(default_factory=Quotas)
    _buckets: dict[tuple[Level, str], Bucket] = field(default_factory=dict)
    _next_news: int = 1

    def timed(self, thread: Thread | None, happening: Happening) -> Happening:
        """The happening itself, or `Postponed` in place of a `Due` whose question has to wait for its turn."""
        if not isinstance(happening, Due) or thread is None or thread.status != "collecting":
            return happening
        if thread.due_at is None or happening.at < thread.due_at:
            return happening  # late or doubled: the workflow drops it
        for level in levels_left(thread.waiting):
            rate, now = self.quotas.of(level), happening.at
            key = (level, member(thread, level))
            self._buckets[key], turn = take(self._buckets.get(key), rate, now)
            self._forget_full(now)
            if turn > now:
                waiting = Waiting(level=level, ahead=ahead(turn, rate, now))
                return Postponed(at=now, fresh=happening.fresh, until=turn, waiting=waiting)
        return happening

    def restore(self, thread: Thread) -> None:
        """Take in a document that was waiting when the last process ended: new questions stand behind it."""
        if thread.waiting is None or thread.due_at is None:
            return
        key = (thread.waiting.level, member(thread, thread.waiting.level))
        found = handed_out(thread.due_at, self.quotas.of(thread.waiting.level), thread.last_event_at)
        known = self._buckets.get(key)
        self._buckets[key] = found if known is None or known.full_at < found.full_at else known

    def news(self, thread: Thread, waiting: int) -> str | None:
        """What the operator is told when a question had to wait: at the first one, the tenth, the hundredth …"""
        if waiting <= 1:
            self._next_news = 1
        if thread.waiting is None or waiting < self._next_news:
            return None
        while self._next_news <= waiting:
            self._next_news *= 10
        who = f"<@{thread.original_sender_id}>" if thread.waiting.level == "user" else f"<#{thread.chat_id}>"
        asked = f"the last one was asked by {who}" if thread.waiting.level == "user" else f"the last one in {who}"
        many = "One question waits for its turn" if waiting == 1 else f"{waiting} questions wait for their turn"
        return (
            f"{many}, since more is asked than is taken at once; {asked}. None is lost: each card says when it comes."
        )

    def _forget_full(self, now: datetime) -> None:
        if len(self._buckets) > _MANY:
            left = {key: bucket for key, bucket in self._buckets.items() if bucket.full_at > now}
            self._buckets = left
