"""What the rules would have made of a history: shares, investigations and cost by channel, week and month, verdicts.

`replay_tally` counts it, `replay_text` and `replay_page` show it.
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
"""The share of actionable messages that a channel may have at most (spec 1, AC-01)."""
FEWEST = 50
"""Messages from which on a share says something."""
MONTH = 30
"""Days of the month that is foretold."""

Counted = Class | Literal["investigations"]


@dataclass
class Counts:
    """How many messages of each class, and how many investigations they would have begun."""

    actionable: int = 0
    ambient: int = 0
    ack: int = 0
    investigations: int = 0

    @property
    def total(self) -> int:
        """All messages."""
        return self.actionable + self.ambient + self.ack

    def share(self, name: Class) -> float:
        """The share of one class, from 0 to 1."""
        return float(getattr(self, name)) / self.total if self.total else 0.0

    def add(self, name: Counted) -> None:
        """One more."""
        setattr(self, name, getattr(self, name) + 1)

    def merge(self, more: Counts) -> None:
        """Add the counts of another part of the history."""
        self.actionable += more.actionable
        self.ambient += more.ambient
        self.ack += more.ack
        self.investigations += more.investigations


class Verdict(NamedTuple):
    """Whether a channel suits the rules, and why."""

    word: Literal["Fits", "Much to answer", "Too many", "Too few to say"]
    why: str


_ADVICE: dict[Purpose | None, str] = {
    "help": "usual where people come to ask, and each thread is one investigation; look at the samples whether they do,"
    " and at the investigations a month; with purpose: discussion only signs of a question start work",
    "discussion": "look at the samples, then at classifier.*",
    None: "look at the samples, then at classifier.*",
}
"""What to do about too many, by the purpose that a channel was judged by."""
_AS: dict[Purpose | None, str] = {"help": "As a channel for help: ", "discussion": "As a discussion: ", None: ""}


def judge_share(counts: Counts, purpose: Purpose | None = None) -> Verdict:
    """Return the verdict on a channel of this purpose, or on all of them; the share is bounded alike for both.

    In a channel for help more than that is no fault of the rules: most of what is said outside of answers asks there.
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
    """A message to look at."""

    text: str
    channel: str
    author: str
    at: datetime | None
    confidence: float
    reasons: tuple[tuple[str, float], ...] = ()
    """What spoke for or against it, each with its weight."""
    link: str | None = None


Samples = dict[Class, list[Sample]]


@dataclass(frozen=True, kw_only=True)
class ReplayReport:
    """All that is shown."""

    title: str
    all: Counts
    channels: dict[str, Counts]
    """By name, the largest first."""
    days: dict[date, Counts]
    """In order."""
    channel_days: dict[str, dict[date, Counts]]
    undated: int
    """Messages whose lines do not tell when they were said."""
    worst_hour: datetime | None
    """The hour, in UTC, that would have begun most investigations."""
    in_worst_hour: int
    samples: dict[str, Samples]
    """By channel; no text stands there twice."""
    others: int
    """Events that are no new message."""
    unread: list[str]
    """What could not be read."""
    version: str
    """Of the rules."""
    price: float | None
    """Of one investigation, in dollars."""
    remark: str | None = None
    """What the rules do not know here that the bot would."""
    twice: int = 0
    """Messages that stand in the history twice, and count once."""
    purposes: Mapping[str, Purpose] = field(default_factory=dict)
    """By the names of channels: the purpose that their messages were judged by."""

    def verdict(self, channel: str) -> Verdict:
        """The verdict on a channel, by its purpose."""
        return judge_share(self.channels[channel], self.purposes.get(channel))

    @property
    def purpose(self) -> Purpose | None:
        """The purpose that all channels were judged by; `None` where they differ or it is not known."""
        found = {self.purposes.get(name) for name in self.channels}
        return found.pop() if len(found) == 1 else None

    @property
    def span(self) -> int:
        """The days from the first message to the last; 0 where no day is known."""
        return (max(self.days) - min(self.days)).days + 1 if self.days else 0

    def a_month(self, counts: Counts) -> float | None:
        """The investigations of thirty days that are like the history; `None` where no day is known."""
        return counts.investigations / self.span * MONTH if self.span else None

    def cost(self, investigations: float | None) -> float | None:
        """What so many investigations cost, in dollars; `None` without a price."""
        return None if self.price is None or investigations is None else investigations * self.price


def by_week(days: Mapping[date, Counts]) -> dict[date, Counts]:
    """Return the counts of each week by its Monday, those without a message too."""
    found = _grouped(days, lambda day: day - timedelta(days=day.weekday()))
    if not found:
        return {}
    first, last = min(found), max(found)
    mondays = (first + timedelta(days=7 * number) for number in range((last - first).days // 7 + 1))
    return {monday: found.get(monday, Counts()) for monday in mondays}


def by_month(days: Mapping[date, Counts]) -> dict[date, Counts]:
    """Return the counts of each month by its first day."""
    return _grouped(days, lambda day: day.replace(day=1))


def _grouped(days: Mapping[date, Counts], key: Callable[[date], date]) -> dict[date, Counts]:
    found: dict[date, Counts] = {}
    for day in sorted(days):
        found.setdefault(key(day), Counts()).merge(days[day])
    return found
