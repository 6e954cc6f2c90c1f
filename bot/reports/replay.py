"""Report of a replay: shares, investigations and cost by channel, week and month, and verdicts on channels.

`replay_tally` counts, `replay_text` and `replay_page` format.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from bot.models.classification import Class

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from bot.decide.classify.channel_purpose import Purpose

CLASSES: tuple[Class, ...] = get_args(Class)
TOO_MANY = 0.4
"""Maximum share of actionable messages in a channel (spec 1, AC-01)."""
FEWEST = 50
"""Minimum number of messages for a verdict."""
MONTH = 30
"""Days of the projected month."""

Counted = Class | Literal["investigations"]


@dataclass
class Counts:
    """Number of messages of each class, and of investigations they would have started."""

    actionable: int = 0
    ambient: int = 0
    ack: int = 0
    investigations: int = 0

    @property
    def total(self) -> int:
        """Return the number of all messages."""
        return self.actionable + self.ambient + self.ack

    def share(self, name: Class) -> float:
        """Return the share of one class, from 0 to 1."""
        return float(getattr(self, name)) / self.total if self.total else 0.0

    def add(self, name: Counted) -> None:
        """Count one message or investigation."""
        setattr(self, name, getattr(self, name) + 1)

    def merge(self, other: Counts) -> None:
        """Add the counts of another part of the history."""
        self.actionable += other.actionable
        self.ambient += other.ambient
        self.ack += other.ack
        self.investigations += other.investigations


class Verdict(NamedTuple):
    """Verdict on a channel's share of actionable messages, with the reason."""

    label: Literal["Fits", "Much to answer", "Too many", "Too few to say"]
    why: str


_ADVICE: dict[Purpose | None, str] = {
    "help": "usual in a channel for questions, where each thread is one investigation; check the samples"
    " and the investigations a month; with purpose: discussion only signs of a question start work",
    "discussion": "look at the samples, then at classifier.*",
    None: "look at the samples, then at classifier.*",
}
"""Advice for too many actionable messages, by the purpose of the channel."""
_AS: dict[Purpose | None, str] = {"help": "As a channel for help: ", "discussion": "As a discussion: ", None: ""}


def judge_share(counts: Counts, purpose: Purpose | None = None) -> Verdict:
    """Return the verdict on a channel of this purpose, or on all channels; the limit is the same for both purposes.

    In a help channel a larger share is not a fault of the rules: most messages there that are not answers are
    questions.
    """
    if counts.total < FEWEST:
        return Verdict("Too few to say", f"{_AS[purpose]}{counts.total:,} of the {FEWEST} messages that it takes")
    share = f"{_AS[purpose]}{counts.share('actionable'):.0%} of its messages are actionable"
    if counts.share("actionable") > TOO_MANY:
        return Verdict(
            "Much to answer" if purpose == "help" else "Too many",
            f"{share}, more than {TOO_MANY:.0%}: {_ADVICE[purpose]}",
        )
    return Verdict("Fits", f"{share}, at most {TOO_MANY:.0%} may be")


@dataclass(frozen=True)
class Sample:
    """Sample message."""

    text: str
    channel: str
    author: str
    at: datetime | None
    confidence: float
    reasons: tuple[tuple[str, float], ...] = ()
    """Features for or against the class, each with its weight."""
    link: str | None = None


Samples = dict[Class, list[Sample]]


@dataclass(frozen=True, kw_only=True)
class ReplayReport:
    """Report of a replay."""

    title: str
    all: Counts
    channels: dict[str, Counts]
    """Counts by channel name, the largest first."""
    days: dict[date, Counts]
    """Counts by day, in order."""
    channel_days: dict[str, dict[date, Counts]]
    undated: int
    """Messages without a time."""
    worst_hour: datetime | None
    """Hour, in UTC, with the most investigations."""
    in_worst_hour: int
    samples: dict[str, Samples]
    """Samples by channel; no text is shown twice."""
    others: int
    """Events that are not new messages."""
    unread: list[str]
    """Files or lines that could not be read."""
    version: str
    """Version of the rules."""
    price: float | None
    """Price of one investigation in US dollars."""
    remark: str | None = None
    """Warning about knowledge of the bot that the offline rules lack."""
    twice: int = 0
    """Messages that occur twice in the history, and count once."""
    purposes: Mapping[str, Purpose] = field(default_factory=dict)
    """Purposes of the channels by name, as used for their messages."""

    def verdict(self, channel: str) -> Verdict:
        """Return the verdict on a channel, by its purpose."""
        return judge_share(self.channels[channel], self.purposes.get(channel))

    @property
    def purpose(self) -> Purpose | None:
        """Return the common purpose of all channels; `None` if they differ or it is not known."""
        purposes = {self.purposes.get(name) for name in self.channels}
        return purposes.pop() if len(purposes) == 1 else None

    @property
    def span(self) -> int:
        """Return the number of days from the first message to the last; 0 without dates."""
        return (max(self.days) - min(self.days)).days + 1 if self.days else 0

    def a_month(self, counts: Counts) -> float | None:
        """Project the investigations to thirty days; `None` without dates."""
        return counts.investigations / self.span * MONTH if self.span else None

    def cost(self, investigations: float | None) -> float | None:
        """Return the cost of investigations in US dollars; `None` without a price."""
        return None if self.price is None or investigations is None else investigations * self.price


def by_week(days: Mapping[date, Counts]) -> dict[date, Counts]:
    """Return the counts of each week by its Monday, including weeks without a message."""
    weeks = _group_days(days, lambda day: day - timedelta(days=day.weekday()))
    if not weeks:
        return {}
    first, last = min(weeks), max(weeks)
    mondays = (first + timedelta(days=7 * number) for number in range((last - first).days // 7 + 1))
    return {monday: weeks.get(monday, Counts()) for monday in mondays}


def by_month(days: Mapping[date, Counts]) -> dict[date, Counts]:
    """Return the counts of each month by its first day."""
    return _group_days(days, lambda day: day.replace(day=1))


def _group_days(days: Mapping[date, Counts], key: Callable[[date], date]) -> dict[date, Counts]:
    groups: dict[date, Counts] = {}
    for day in sorted(days):
        groups.setdefault(key(day), Counts()).merge(days[day])
    return groups
