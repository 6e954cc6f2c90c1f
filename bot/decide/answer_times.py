"""Times from questions to their first answers, from messages in the order of their times. Pure.

Both sides of the comparison of spec 1, AC-10 are measured so, the time before Triage and the time since: a thread's
first question by a person, and the first message by anybody else in that thread, or one in the channel that names the
asker. Replies of Triage are answers, too; other bots answer nothing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bot.models.baseline import ChannelTimes
from bot.models.line_message import parse_time

if TYPE_CHECKING:
    from bot.models.line_message import LineMessage

LONGEST_WAIT = timedelta(days=7)
"""Wait after which a question counts as unanswered."""
NAMED_WITHIN = timedelta(days=1)
"""Time in which a message in the channel that names the asker counts as an answer."""

_EVER = datetime.min.replace(tzinfo=UTC)
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(slots=True)
class _Question:
    channel: str
    asker: str
    at: datetime


@dataclass
class AnswerTimes:
    """Accumulator of one period."""

    first: datetime | None = None
    last: datetime | None = None
    _names: dict[str, str] = field(default_factory=dict)
    _waiting: dict[str, _Question] = field(default_factory=dict)
    """Open questions by thread, oldest first."""
    _begun: set[str] = field(default_factory=set)
    """Threads that had a question."""
    _seconds: dict[str, list[tuple[datetime, int]]] = field(default_factory=lambda: defaultdict(list))
    """Times of answered questions by channel, each with the time of its question."""
    _unanswered: dict[str, list[datetime]] = field(default_factory=lambda: defaultdict(list))

    def add(self, message: LineMessage, *, asks: bool) -> None:
        """Add a message; `asks` is true if the classifier calls it actionable. One without a time counts nothing."""
        at = parse_time(message)
        if at is None or message.home is None:
            return
        self._note(at)
        if message.by_bot or not message.sender:
            return
        self._names[message.channel] = message.channel_name or message.channel
        question = self._waiting.get(message.home)
        if question and question.asker != message.sender:
            self._answer(message.home, at)
        elif message.thread is None:
            self._answer_named(message, at)
        if asks and message.home not in self._begun:
            self._begun.add(message.home)
            self._waiting[message.home] = _Question(message.channel, message.sender, at)

    def add_reply(self, thread_id: str, at: datetime) -> None:
        """Add a reply of Triage."""
        self._note(at)
        if thread_id in self._waiting:
            self._answer(thread_id, at)

    def channels(self, since: datetime = _EVER, until: datetime = _NEVER) -> tuple[ChannelTimes, ...]:
        """Return the times by channel, of questions asked from `since` until `until`.

        Questions that wait since less than the longest wait count nowhere.
        """
        return tuple(
            ChannelTimes(
                channel=channel,
                name=self._names.get(channel, channel),
                seconds=tuple(sorted(each for at, each in self._seconds.get(channel, ()) if since <= at < until)),
                unanswered=sum(since <= at < until for at in self._unanswered.get(channel, ())),
            )
            for channel in sorted({*self._seconds, *self._unanswered})
        )

    def _note(self, at: datetime) -> None:
        """Move the period's end, and give up the questions that have waited too long."""
        self.first = min(at, self.first or at)
        self.last = max(at, self.last or at)
        while self._waiting:
            home, question = next(iter(self._waiting.items()))
            if self.last - question.at <= LONGEST_WAIT:
                return
            del self._waiting[home]
            self._unanswered[question.channel].append(question.at)

    def _answer(self, home: str, at: datetime) -> None:
        question = self._waiting.pop(home)
        seconds = max(0, round((at - question.at).total_seconds()))
        self._seconds[question.channel].append((question.at, seconds))

    def _answer_named(self, message: LineMessage, at: datetime) -> None:
        """Answer the newest question in the channel of each person whom the message names."""
        for person in dict.fromkeys(message.mentions):
            homes = (
                home
                for home, each in reversed(self._waiting.items())
                if each.channel == message.channel and each.asker == person != message.sender
            )
            home = next(homes, None)
            if home and at - self._waiting[home].at <= NAMED_WITHIN:
                self._answer(home, at)
