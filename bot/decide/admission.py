"""Admission: how many questions are taken at once, of one person, in one channel and in all.

Token buckets as values: `take` answers with the bucket after one more question and the moment of its turn. A bucket
that is over hands out turns in the order of asking, one each interval, so a flood is spread out and nothing is refused.
A question passes its levels one after the other and waits in one line at a time: what one person asks too much never
takes a place in the channel's line before its own turn has come. `triage/rate_limit` keeps the buckets.
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
"""In the order in which a question passes them."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How many questions are taken at once after a pause, and how many a minute from then on."""

    per_minute: float
    burst: int

    @property
    def interval(self) -> timedelta:
        """The time between two turns."""
        return timedelta(minutes=1) / self.per_minute


@dataclass(frozen=True, slots=True)
class Quotas:
    """The rate of each level."""

    user: Rate = Rate(per_minute=10, burst=20)
    channel: Rate = Rate(per_minute=30, burst=60)
    workspace: Rate = Rate(per_minute=60, burst=120)

    def of(self, level: Level) -> Rate:
        """The rate of one level."""
        return {"user": self.user, "channel": self.channel, "workspace": self.workspace}[level]


@dataclass(frozen=True, slots=True)
class Bucket:
    """What has been taken: `full_at` is when nothing of it counts any more, `at` when the last one was taken."""

    at: datetime
    full_at: datetime


def take(bucket: Bucket | None, rate: Rate, now: datetime) -> tuple[Bucket, datetime]:
    """The bucket with one more question, and when the question's turn is: `now` where there is room."""
    full_at = now if bucket is None else bucket.full_at - max(bucket.at - now, timedelta())  # a clock set back
    full_at = max(full_at, now) + rate.interval
    return Bucket(at=now, full_at=full_at), max(now, full_at - rate.burst * rate.interval)


def handed_out(turn: datetime, rate: Rate, now: datetime) -> Bucket:
    """The bucket of a line whose last turn is known and nothing else."""
    return Bucket(at=now, full_at=turn + rate.burst * rate.interval)


def ahead(turn: datetime, rate: Rate, now: datetime) -> int:
    """How many earlier turns are still to come."""
    return max(0, math.ceil((turn - now) / rate.interval) - 1)


def levels_left(waiting: Waiting | None) -> tuple[Level, ...]:
    """The levels that a question whose turn has come must still pass."""
    return LEVELS[LEVELS.index(waiting.level) + 1 :] if waiting else LEVELS


def member(thread: Thread, level: Level) -> str:
    """Whose bucket a question is taken from."""
    return {"user": thread.original_sender_id, "channel": thread.chat_id, "workspace": thread.team_id}[level]
