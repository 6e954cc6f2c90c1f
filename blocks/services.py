"""Services with their states, as mrkdwn rows: the state in words, since when, and the last day as a row of marks."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from blocks.health import describe_check, state_check
from blocks.queue import message_link
from blocks.text import clip, escape, format_count, moment
from bot.models.service_state import MARKS_A_DAY

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from bot.models.service_state import DayMarks, Mark, ServiceState

HALF_HOUR = timedelta(minutes=30)

_SIGNS: dict[Mark, str] = {"": "░", "healthy": "▁", "degraded": "▄", "down": "█"}
"""Signs of different heights, so that no state depends on a colour."""

LEGEND = "Each mark is half an hour, the newest at the right: ▁ healthy, ▄ degraded, █ down, ░ not checked."

Detail = Literal["short", "usual", "all"]
"""Detail of a description: `short` has no time of the last check and one reason, `all` has healthy checks too."""
_REASONS: dict[Detail, int] = {"short": 1, "usual": 2, "all": 20}
"""Checks named in one row."""
_BRIEF = 80
"""Characters of a reason in one line."""


def order_services(states: Iterable[ServiceState]) -> list[ServiceState]:
    """Order services: down, degraded, not checked, healthy; within a state by name."""
    ranks = ("down", "degraded", None, "healthy")
    return sorted(states, key=lambda state: (ranks.index(state.status), state.service))


def summarise(states: Sequence[ServiceState]) -> str:
    """Count the states of services in a sentence."""
    number = format_count(len(states), "service")
    down, degraded, unknown = (sum(state.status == word for state in states) for word in ("down", "degraded", None))
    stuck = sum(state.status is None and bool(state.unchecked) for state in states)
    parts = [
        *([f"{down} down"] if down else []),
        *([f"{degraded} degraded"] if degraded else []),
        *([f"{stuck} that cannot be checked"] if stuck else []),
        *([f"{unknown - stuck} not checked yet"] if unknown > stuck else []),
    ]
    if not parts:
        return f"{number}, healthy." if len(states) == 1 else f"{number}, all healthy."
    healthy = len(states) - down - degraded - unknown
    return f"{number}: {', '.join([*parts, *([f'{healthy} healthy'] if healthy else [])])}."


def describe_service(state: ServiceState, now: datetime, *, url: str, detail: Detail = "usual") -> str:
    """Describe a service in up to five lines, the words before the marks; `url` is the workspace's address."""
    group = f" (group {escape(state.group)})" if state.group != state.service else ""
    name = f"*{escape(state.service)}*{group}"
    if state.status is None or state.since is None or state.checked_at is None:
        return (
            f"{name} could not be checked: {_list_faults(state)}." if state.unchecked else f"{name} is not checked yet."
        )
    last = "" if detail == "short" else f", last checked {moment(state.checked_at)}"
    lines = [f"{name} is *{state.status}* since {moment(state.since)}{last}."]
    named = [check for check in state.results if detail == "all" or check.status != "healthy"]
    shown = named[: _REASONS[detail]]
    more = f", and {format_count(len(named) - len(shown), 'more failing check')}" if len(named) > len(shown) else ""
    lines += [f"{'; '.join(map(describe_check, shown))}{more}."] if shown else []
    lines += [f"Could not be checked: {_list_faults(state)}."] if state.unchecked else []
    marks = align_marks(state.days, now)
    link = _link_incident(state, url)
    return "\n".join([*lines, f"{describe_marks(marks)}{link}", format_marks(marks)])


def describe_briefly(state: ServiceState, now: datetime) -> str:
    """Describe a service in one line: its status, since when, and the beginning of one reason."""
    if state.status is None or state.since is None:
        return clip(describe_service(state, now, url=""), _BRIEF)
    reasons = [check for check in state.results if check.status != "healthy"]
    reason = f": {escape(clip(state_check(reasons[0]), _BRIEF))}" if reasons else ""
    return f"*{escape(state.service)}* *{state.status}* since {moment(state.since)}{reason}"


def _list_faults(state: ServiceState) -> str:
    return escape("; ".join(state.unchecked)).rstrip(".")


def align_marks(days: DayMarks | None, now: datetime) -> tuple[Mark, ...]:
    """Return the marks of the last day as of `now`, oldest first; half hours since the last one are not checked."""
    unchecked: Mark = ""
    day = (unchecked,) * MARKS_A_DAY
    if days is None:
        return day
    missing = max(0, -((days.ends_at - now) // HALF_HOUR))
    return (*day, *days.marks, *day[:missing])[-MARKS_A_DAY:]


def format_marks(marks: Sequence[Mark]) -> str:
    """Return one sign for each mark."""
    return "".join(_SIGNS[mark] for mark in marks)


def describe_marks(marks: Sequence[Mark]) -> str:
    """Say the same as the marks in words."""
    checked = sum(mark != "" for mark in marks)
    if not checked:
        return "Not checked in the last day."
    of = f"{checked} half hours" if checked > 1 else "1 half hour"
    parts = [f"{word} in {number}" for word in ("down", "degraded") if (number := marks.count(word))]
    if not parts:
        return f"Last day: healthy in {f'all {of}' if checked > 1 else of}."
    return f"Last day: {', '.join(parts)} of {of}."


def _link_incident(state: ServiceState, url: str) -> str:
    """Link to the thread of its present or last incident."""
    if state.thread_id is None:
        return ""
    _, channel, ts = state.thread_id.split("-")
    word = "Last incident" if state.status == "healthy" else "Incident"
    return f" <{message_link(url, channel, ts)}|{word}>"
