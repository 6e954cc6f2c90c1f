"""Tally of a replay: counts and samples, collected in one pass."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from blocks.queue import message_link
from bot.models.line_message import parse_time
from bot.reports.replay import CLASSES, Counts, ReplayReport, Sample, Samples

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime

    from bot.decide.classify.channel_purpose import Purpose
    from bot.models.classification import Class
    from bot.models.line_message import LineMessage

SAMPLES = 20
"""Samples of each class shown for a single channel, and stored for each channel."""
FEWER = 6
"""Samples of each class shown for several channels."""
MAX_SAMPLE = 600
"""Maximum characters of a sample."""
REASONS = 4
"""Maximum reasons of a sample."""
REMEMBERED = 20_000
"""Number of the newest messages that are remembered, to skip duplicates."""

_CHANNEL, _TS = re.compile(r"[CDG][A-Z0-9]{1,30}"), re.compile(r"\d{1,12}\.\d{6}")
_NUMBER = re.compile(r"\d+")
_PERSON = re.compile(r"@([UW][A-Z0-9]{1,30})\b")


class _StoredSample(NamedTuple):
    message: LineMessage
    at: datetime | None
    confidence: float
    reasons: tuple[tuple[str, float], ...]


@dataclass
class _Reservoir:
    """Reservoir sample of one class in one channel; distinct texts have equal chances (Vitter's algorithm R)."""

    samples: list[_StoredSample] = field(default_factory=list)
    total: int = 0
    texts: set[str] = field(default_factory=set)

    def offer(self, sample: _StoredSample, chance: random.Random) -> None:
        """Store a sample, or drop it at random."""
        text = fold_numbers(sample.message.text)
        if text in self.texts:
            return
        self.total += 1
        place = len(self.samples) if len(self.samples) < SAMPLES else chance.randrange(self.total)
        if place >= SAMPLES:
            return
        for replaced in self.samples[place : place + 1]:
            self.texts.discard(fold_numbers(replaced.message.text))
        self.texts.add(text)
        self.samples[place : place + 1] = [sample]


def fold_numbers(text: str) -> str:
    """Normalize the shown part of a text for comparison: numbers are equal, so builds 7 and 8 match."""
    return " ".join(_NUMBER.sub("0", text[:MAX_SAMPLE]).casefold().split())


@dataclass
class Tally:
    """Tally of a replay."""

    others: int = 0
    """Events that are not new messages."""
    twice: int = 0
    """Messages that occurred again."""
    _places: dict[tuple[str, date | None], Counts] = field(default_factory=dict)
    _hours: Counter[datetime] = field(default_factory=Counter)
    _threads: set[str] = field(default_factory=set)
    _samples: dict[tuple[str, Class], _Reservoir] = field(default_factory=dict)
    _newest: tuple[set[tuple[str, str]], set[tuple[str, str]]] = field(default_factory=lambda: (set(), set()))
    _chance: random.Random = field(default_factory=lambda: random.Random(0))  # noqa: S311  # the same samples each time

    def add(
        self, message: LineMessage, name: Class, confidence: float, reasons: tuple[tuple[str, float], ...] = ()
    ) -> None:
        """Count one message and its class."""
        at = parse_time(message)
        if self._is_known(message):
            self.twice += 1
            return
        counts = self._places.setdefault((message.channel_name, at.date() if at else None), Counts())
        counts.add(name)
        if name == "actionable" and not message.by_bot and self._is_new(message.home):
            counts.add("investigations")
            if at:
                self._hours[at.replace(minute=0, second=0, microsecond=0)] += 1
        reservoir = self._samples.setdefault((message.channel_name, name), _Reservoir())
        reservoir.offer(_StoredSample(_short(message), at, confidence, reasons[:REASONS]), self._chance)

    def report(
        self,
        *,
        title: str,
        version: str,
        unread: list[str],
        price: float | None,
        remark: str | None = None,
        names: Mapping[str, str] | None = None,
        url: str = "",
        purposes: Mapping[str, Purpose] | None = None,
    ) -> ReplayReport:
        """Build the report; `names` are those of people, `url` is the workspace's."""
        channels: dict[str, Counts] = {}
        days: dict[date, Counts] = {}
        channel_days: dict[str, dict[date, Counts]] = {}
        everything, undated = Counts(), 0
        for (channel, day), counts in sorted(self._places.items(), key=lambda place: (place[0][0], str(place[0][1]))):
            everything.merge(counts)
            channels.setdefault(channel, Counts()).merge(counts)
            if day is None:
                undated += counts.total
            else:
                days.setdefault(day, Counts()).merge(counts)
                channel_days.setdefault(channel, {})[day] = counts
        worst = max(self._hours, key=lambda hour: (self._hours[hour], -hour.timestamp()), default=None)
        channels = dict(sorted(channels.items(), key=lambda item: -item[1].total))
        return ReplayReport(
            title=title,
            all=everything,
            channels=channels,
            days=dict(sorted(days.items())),
            channel_days=channel_days,
            undated=undated,
            worst_hour=worst,
            in_worst_hour=self._hours[worst] if worst else 0,
            samples=self._select_samples(list(channels), names or {}, url),
            others=self.others,
            unread=unread,
            version=version,
            price=price,
            remark=remark,
            twice=self.twice,
            purposes=purposes or {},
        )

    def _select_samples(self, channels: list[str], names: Mapping[str, str], url: str) -> dict[str, Samples]:
        """Select the samples of each channel; a text of several channels is shown for the smallest one."""
        limit, texts = SAMPLES if len(channels) == 1 else FEWER, set[str]()
        selected: dict[str, Samples] = {channel: {name: [] for name in CLASSES} for channel in channels}
        for channel in reversed(channels):
            for name in CLASSES:
                candidates = self._samples.get((channel, name), _Reservoir()).samples
                for each in candidates:
                    sample = _sample(each, names, url)
                    if len(selected[channel][name]) < limit and fold_numbers(sample.text) not in texts:
                        texts.add(fold_numbers(sample.text))
                        selected[channel][name].append(sample)
        return selected

    def _is_known(self, message: LineMessage) -> bool:
        """Return whether a message was counted before, among the newest: a journal holds repeated deliveries."""
        key, (newer, older) = (message.channel, message.ts), self._newest
        if "." not in message.ts or key in newer or key in older:
            return "." in message.ts
        newer.add(key)
        if len(newer) >= REMEMBERED:
            self._newest = (set(), newer)
        return False

    def _is_new(self, thread: str | None) -> bool:
        """Return whether a thread is new: further messages in it belong to the same investigation."""
        if thread is None:
            return True
        if thread in self._threads:
            return False
        self._threads.add(thread)
        return True


def _short(message: LineMessage) -> LineMessage:
    is_long = len(message.text) > MAX_SAMPLE
    return message._replace(text=f"{message.text[:MAX_SAMPLE]}…" if is_long else message.text, rules_content=None)


def _sample(stored: _StoredSample, names: Mapping[str, str], url: str) -> Sample:
    message = stored.message

    def name(match: re.Match[str]) -> str:
        return f"@{names.get(match[1]) or match[1]}"

    author = names.get(message.sender) or message.sender
    text, link = _PERSON.sub(name, message.text), _link(message, url)
    return Sample(text, message.channel_name, author, stored.at, stored.confidence, stored.reasons, link)


def _link(message: LineMessage, url: str) -> str | None:
    """Return the link to a message in Slack, if its channel and time are Slack's."""
    if not (_CHANNEL.fullmatch(message.channel) and _TS.fullmatch(message.ts)):
        return None
    link, root = (
        message_link(url or "https://slack.com", message.channel, message.ts),
        (message.thread or "").rpartition("-")[2],
    )
    return f"{link}?thread_ts={root}&cid={message.channel}" if _TS.fullmatch(root) else link
