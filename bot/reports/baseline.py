"""Times from questions to answers: of the channels before Triage, kept as the baseline, and of the home since."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from bot.decide.answer_times import AnswerTimes
from bot.models.baseline import Baseline
from bot.models.line_message import parse_line_message, parse_time
from bot.reports.minutes import read_moment

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from bot.decide.classify.stream_classifier import StreamClassifier
    from bot.models.line_message import LineMessage

HOME = "home"
"""Source of the times since Triage came."""


def measure_baseline(
    messages: Iterable[LineMessage], classifier: StreamClassifier, *, source: str, until: datetime | None = None
) -> Baseline | None:
    """Return the times of messages up to `until`, the time at which Triage came; `None` without any message.

    The messages may come in any order.
    """
    timed = [(at, message) for message in messages if (at := parse_time(message)) and (until is None or at < until)]
    times = AnswerTimes()
    for _, message in sorted(timed, key=lambda each: each[0]):
        times.add(message, asks=classifier.judge(message).classification == "actionable")
    return _build(times, classifier, source)


def measure_weeks(
    classified: Iterable[dict[str, Any]],
    replies: Iterable[dict[str, Any]],
    classifier: StreamClassifier,
    *,
    now: datetime,
    weeks: int,
) -> list[Baseline | None]:
    """Return the times of the questions asked in each of the last weeks, oldest first.

    They are read from records of `events-classified.ndjson` and `replies.ndjson`; Triage's replies are answers, too.
    """
    times = _read_times(classified, replies, classifier)
    begins = [now - timedelta(days=7 * number) for number in range(weeks, 0, -1)]
    return [_build(times, classifier, HOME, since=begin, until=begin + timedelta(days=7)) for begin in begins]


def _read_times(
    classified: Iterable[dict[str, Any]], replies: Iterable[dict[str, Any]], classifier: StreamClassifier
) -> AnswerTimes:
    messages = [(at, message) for record in classified if (message := _read(record)) and (at := parse_time(message))]
    messages.sort(key=lambda each: each[0])
    posted = sorted(
        (at, str(record.get("thread_id"))) for record in replies if (at := read_moment(record.get("posted_at")))
    )
    times = AnswerTimes()
    for at, message in messages:
        while posted and posted[0][0] <= at:
            answered_at, thread_id = posted.pop(0)
            times.add_reply(thread_id, answered_at)
        times.add(message, asks=classifier.judge(message).classification == "actionable")
    for at, thread_id in posted:
        times.add_reply(thread_id, at)
    return times


def _read(record: dict[str, Any]) -> LineMessage | None:
    try:
        return parse_line_message(record)
    except ValueError:
        return None


def _build(
    times: AnswerTimes,
    classifier: StreamClassifier,
    source: str,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Baseline | None:
    if times.first is None or times.last is None:
        return None
    first, last = since or times.first, until or times.last
    channels = times.channels(since, until) if since and until else times.channels()
    return Baseline(source=source, classifier=classifier.version, since=first, until=last, channels=channels)
