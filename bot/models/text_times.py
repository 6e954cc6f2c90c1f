"""Times in a text, in UTC or a machine's format, so that each reader sees them in their own time zone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_OTHER_MONTHS = {"mär": "mar", "mrz": "mar", "mai": "may", "okt": "oct", "dez": "dec", "fév": "feb", "avr": "apr"}
_MONTH = rf"(?:{'|'.join((*_MONTHS, *_OTHER_MONTHS))})[^\W\d_]{{0,6}}\.?"


def _day(name: str) -> str:
    return (
        rf"(?P<{name}_iso>\d{{4}}-\d{{2}}-\d{{2}})|(?P<{name}_dotted>\d{{1,2}}\.\d{{1,2}}\.\d{{4}})"
        rf"|(?P<{name}_first>\d{{1,2}})(?:\.|st|nd|rd|th)?\s+(?P<{name}_month>{_MONTH})(?:,?\s+(?P<{name}_year>\d{{4}}))?"
        rf"|(?P<{name}_us_month>{_MONTH})\s+(?P<{name}_us_first>\d{{1,2}})(?:st|nd|rd|th)?"
        rf"(?:,?\s+(?P<{name}_us_year>\d{{4}}))?"
    )


def _clock(name: str) -> str:
    return (
        rf"(?P<{name}_hour>[01]?\d|2[0-3])(?::(?P<{name}_minute>[0-5]\d)(?::(?P<{name}_second>[0-5]\d)"
        rf"(?:[.,]\d{{1,9}})?)?)?(?:\s?(?P<{name}_half>[ap])\.?m\b\.?)?(?:\s?Uhr\b)?"
    )


_TIME = re.compile(
    rf"(?<![\w.:/=-])(?:(?:{_day('before')})(?:T|,?\s+(?:at\s+|um\s+|à\s+|a\s+las\s+)?))?"
    rf"(?:{_clock('from')}(?P<dash>\s?[-\u2013\u2014]\s?|\s+(?:to|until|and|bis)\s+))?{_clock('at')}"
    r"\s?(?P<opens>[(\uff08])?(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2}(?=\W|$))(?P<offset>\s?[+-]\s?\d{1,2}(?::?[0-5]\d)?)?"
    r"(?(opens)[)\uff09]|(?![\w:]))"
    rf"(?:,?\s+(?:on\s+|am\s+|le\s+)?(?:{_day('after')})(?!\w))?",
    re.IGNORECASE,
)
_STAMP = re.compile(r"(?<![\w.:/=-])(?P<seconds>1\d{9})\.\d{6}(?!\w|\.\d)")
_YEARS = range(1990, 2100)


@dataclass(frozen=True)
class TextTime:
    """A time with its zone and its position in a text.

    `has_day` says whether the text names its day; else it is the day of `now`.
    """

    start: int
    end: int
    at: datetime
    has_day: bool = True


def find_times(text: str, now: datetime) -> Iterator[TextTime]:
    """Yield the times in a text without code, in order; between the two times of a range only its dash remains."""
    times = [time for match in _TIME.finditer(text) for time in _times(match, now)]
    for match in _STAMP.finditer(text):
        times.append(TextTime(*match.span(), datetime.fromtimestamp(int(match["seconds"]), UTC)))
    return iter(sorted(times, key=lambda time: time.start))


def _times(match: re.Match[str], now: datetime) -> list[TextTime]:
    """Return the one or two times of a match; none if it is not a time after all."""
    by_machine = match["before_iso"] is not None
    if not by_machine and not match["zone"].upper().startswith(("U", "G", "Z")):
        return []  # "15:00 -0500" and "1-3 +0000" without a day are not times that anybody tells
    try:
        zone = _zone(match["zone"], match["offset"])
        day = _parse_day(match, "before", now) or _parse_day(match, "after", now)
        at = _moment(match, "at", day or now.astimezone(zone), zone)
        if match["dash"] is None:
            return [TextTime(*match.span(), at, day is not None)] if at else []
        begin = _moment(match, "from", day or now.astimezone(zone), zone, half=match["at_half"])
    except ValueError:
        return []
    if at is None or begin is None:
        return []
    at = at + timedelta(days=1) if at < begin else at
    return [
        TextTime(match.start(), match.start("dash"), begin, day is not None),
        TextTime(match.end("dash"), match.end(), at, day is not None),
    ]


def _moment(
    match: re.Match[str], name: str, day: datetime, zone: timezone, *, half: str | None = None
) -> datetime | None:
    half = match[f"{name}_half"] or half
    hour, minute = int(match[f"{name}_hour"]), match[f"{name}_minute"]
    if minute is None and half is None:
        return None  # "5 UTC" may be anything
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    second = int(match[f"{name}_second"] or 0)
    return datetime(day.year, day.month, day.day, hour, int(minute or 0), second, tzinfo=zone)


def _zone(name: str, offset: str | None) -> timezone:
    digits = name if name[0] in "+-" else re.sub(r"\s", "", offset or "")
    if not digits:
        return UTC
    hours, minutes = re.fullmatch(r"[+-](\d{1,2}):?(\d{2})?", digits).groups()  # type: ignore[union-attr]  # it was found so
    apart = timedelta(hours=int(hours), minutes=int(minutes or 0))
    return timezone(-apart if digits[0] == "-" else apart)


def _parse_day(match: re.Match[str], name: str, now: datetime) -> datetime | None:
    """Return the day; without a year the nearest one."""
    if iso := match[f"{name}_iso"]:
        return _in_range(datetime.strptime(iso, "%Y-%m-%d").replace(tzinfo=UTC))
    if dotted := match[f"{name}_dotted"]:
        return _in_range(datetime.strptime(dotted, "%d.%m.%Y").replace(tzinfo=UTC))
    kind = name if match[f"{name}_month"] else f"{name}_us"
    if not (month := match[f"{kind}_month"]):
        return None
    short = month[:3].lower()
    number = _MONTHS.index(_OTHER_MONTHS.get(short, short)) + 1
    first, year = int(match[f"{kind}_first"]), match[f"{kind}_year"]
    if year:
        return _in_range(datetime(int(year), number, first, tzinfo=UTC))
    days = (datetime(now.year + years, number, first, tzinfo=UTC) for years in (-1, 0, 1))
    return min(days, key=lambda day: abs(day - now))


def _in_range(day: datetime) -> datetime:
    if day.year not in _YEARS:
        raise ValueError(day)
    return day
