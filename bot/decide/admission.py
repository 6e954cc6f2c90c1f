"""Admission: rate limits for questions per person, per channel and in total.

Token buckets as values: `take` returns the bucket after one more question, and the time of its turn. An exhausted
bucket assigns turns in order of arrival, one per interval, so that a burst is spread out and nothing is refused. A
question passes the levels one after the other and waits in one queue at a time: a person's excess questions take no
place in the channel's queue before their own turn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.thread import Thread
    from bot.models.waiting import Level, Waiting

LEVELS: tuple[Level, ...] = ("user", "channel", "workspace")
"""Levels, in the order in which a question passes them."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Rate limit: a burst after a pause, and a number per minute from then on."""

    per_minute: float
    burst: int

    @property
    def interval(self) -> timedelta:
        """Return the time between two turns."""
        return timedelta(minutes=1) / self.per_minute


@dataclass(frozen=True, slots=True)
class Quotas:
    """Rate limit of each level."""

    user: Rate = Rate(per_minute=10, burst=20)
    channel: Rate = Rate(per_minute=30, burst=60)
    workspace: Rate = Rate(per_minute=60, burst=120)

    def rate_of(self, level: Level) -> Rate:
        """Return the rate limit of one level."""
        return {"user": self.user, "channel": self.channel, "workspace": self.workspace}[level]


@dataclass(frozen=True, slots=True)
class Bucket:
    """Token bucket: `full_at` is the time at which it is full again, `at` the time of the last question."""

    at: datetime
    full_at: datetime


def take(bucket: Bucket | None, rate: Rate, now: datetime) -> tuple[Bucket, datetime]:
    """Take a question from the bucket; return the bucket and the question's turn, `now` where there is room."""
    full_at = (
        now if bucket is None else bucket.full_at - max(bucket.at - now, timedelta())
    )  # corrects for a clock set back
    full_at = max(full_at, now) + rate.interval
    return Bucket(at=now, full_at=full_at), max(now, full_at - rate.burst * rate.interval)


def handed_out(turn: datetime, rate: Rate, now: datetime) -> Bucket:
    """Return the bucket of a queue of which only the last turn is known."""
    return Bucket(at=now, full_at=turn + rate.burst * rate.interval)


def count_ahead(turn: datetime, rate: Rate, now: datetime) -> int:
    """Return the number of earlier turns still to come."""
    return max(0, math.ceil((turn - now) / rate.interval) - 1)


def levels_left(waiting: Waiting | None) -> tuple[Level, ...]:
    """Return the remaining levels of a question whose turn has come."""
    return LEVELS[LEVELS.index(waiting.level) + 1 :] if waiting else LEVELS


def member(thread: Thread, level: Level) -> str:
    """Return the key of a question's bucket on a level."""
    return {"user": thread.original_sender_id, "channel": thread.chat_id, "workspace": thread.team_id}[level]
