"""What the rules would have made of a history: shares by channel and day, the worst hour, samples, investigations.

`triage replay` hands in each message with its class; `report` is what `replay_text` and `replay_page` show.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from bot.models.classification import Class
from bot.models.said import moment

if TYPE_CHECKING:
    from datetime import date, datetime

    from bot.models.said import Said

CLASSES: tuple[Class, ...] = get_args(Class)
SAMPLES = 20
"""Messages shown of each class."""
MAX_SAMPLE = 400
"""Characters shown of each."""
REMEMBERED = 20_000
"""Messages of which it is known at least that they were counted."""
TOO_MANY = 0.3
"""The share of actionable messages from which the rules are too generous (spec 1, phase 1)."""

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


@dataclass(frozen=True)
class Sample:
    """A message to look at."""

    text: str
    channel: str
    at: datetime | None
    confidence: float


@dataclass(frozen=True, kw_only=True)
class Report:
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
    samples: dict[Class, list[Sample]]
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

    @property
    def cost(self) -> float | None:
        """Of all investigations, in dollars; `None` without a price."""
        return None if self.price is None else self.all.investigations * self.price

    @property
    def a_day(self) -> float | None:
        """Investigations on a day on which something was said; `None` where no day is known."""
        dated = sum(counts.investigations for counts in self.days.values())
        return dated / len(self.days) if self.days else None


@dataclass
class Tally:
    """Counts while a history goes by."""

    others: int = 0
    """Events that are no new message."""
    twice: int = 0
    """Messages that came again."""
    _places: dict[tuple[str, date | None], Counts] = field(default_factory=dict)
    _hours: Counter[datetime] = field(default_factory=Counter)
    _threads: set[str] = field(default_factory=set)
    _samples: dict[Class, list[Sample]] = field(default_factory=lambda: {name: [] for name in CLASSES})
    _newest: tuple[set[tuple[str, str]], set[tuple[str, str]]] = field(default_factory=lambda: (set(), set()))
    _seen: Counter[Class] = field(default_factory=Counter)
    _chance: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311  # the same samples each time

    def add(self, said: Said, name: Class, confidence: float) -> None:
        """Count one message and its class."""
        at = moment(said)
        if self._is_known(said):
            self.twice += 1
            return
        counts = self._places.setdefault((said.channel_name, at.date() if at else None), Counts())
        counts.add(name)
        if name == "actionable" and not said.by_bot and self._is_new(said.home):
            counts.add("investigations")
            if at:
                self._hours[at.replace(minute=0, second=0, microsecond=0)] += 1
        self._sample(said, name, confidence, at)

    def _is_known(self, said: Said) -> bool:
        """Whether this message came before, among the newest: a journal holds what Slack delivered twice."""
        key, (newer, older) = (said.channel, said.ts), self._newest
        if "." not in said.ts or key in newer or key in older:
            return "." in said.ts
        newer.add(key)
        if len(newer) >= REMEMBERED:
            self._newest = (set(), newer)
        return False

    def report(
        self, *, title: str, version: str, unread: list[str], price: float | None, remark: str | None = None
    ) -> Report:
        """What it came to."""
        channels: dict[str, Counts] = {}
        days: dict[date, Counts] = {}
        channel_days: dict[str, dict[date, Counts]] = {}
        everything, undated = Counts(), 0
        for (channel, day), counts in sorted(self._places.items(), key=lambda place: (place[0][0], str(place[0][1]))):
            _merge(everything, counts)
            _merge(channels.setdefault(channel, Counts()), counts)
            if day is None:
                undated += counts.total
            else:
                _merge(days.setdefault(day, Counts()), counts)
                channel_days.setdefault(channel, {})[day] = counts
        worst = max(self._hours, key=lambda hour: (self._hours[hour], -hour.timestamp()), default=None)
        return Report(
            title=title,
            all=everything,
            channels=dict(sorted(channels.items(), key=lambda item: -item[1].total)),
            days=dict(sorted(days.items())),
            channel_days=channel_days,
            undated=undated,
            worst_hour=worst,
            in_worst_hour=self._hours[worst] if worst else 0,
            samples=self._samples,
            others=self.others,
            unread=unread,
            version=version,
            price=price,
            remark=remark,
            twice=self.twice,
        )

    def _is_new(self, thread: str | None) -> bool:
        """One investigation a thread: what is said in it meanwhile goes to the same one."""
        if thread is None:
            return True
        if thread in self._threads:
            return False
        self._threads.add(thread)
        return True

    def _sample(self, said: Said, name: Class, confidence: float, at: datetime | None) -> None:
        """Keep each message of a class with the same chance (Vitter's algorithm R)."""
        kept, seen = self._samples[name], self._seen[name]
        self._seen[name] += 1
        place = seen if seen < SAMPLES else self._chance.randrange(seen + 1)
        if place >= SAMPLES:
            return
        sample = Sample(said.text[:MAX_SAMPLE], said.channel_name, at, confidence)
        kept[place : place + 1] = [sample]


def _merge(into: Counts, more: Counts) -> None:
    into.actionable += more.actionable
    into.ambient += more.ambient
    into.ack += more.ack
    into.investigations += more.investigations
