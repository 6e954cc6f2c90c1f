"""Words of health checks and service states, as mrkdwn; the state is always in words, for screen readers too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import SECTION, clip, escape, format_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.models.check_result import CheckResult, ServiceStatus

ROWS = 20
_ROW_CHARS = SECTION - 200

EMOJI: dict[ServiceStatus, str] = {
    "down": ":red_circle:",
    "degraded": ":warning:",
    "healthy": ":white_check_mark:",
}
"""Symbols of different forms, beside the word."""

_CHECKS = {"http": "HTTP", "dns": "DNS", "container": "container", "database": "database", "service": "unit"}
_WORST_FIRST: tuple[ServiceStatus, ...] = ("down", "degraded", "healthy")
_ERROR = 200


def find_worst(checks: Iterable[CheckResult]) -> ServiceStatus | None:
    """Return the worst status of checks; `None` without any."""
    found = {check.status for check in checks}
    return next((status for status in _WORST_FIRST if status in found), None)


def describe_check(check: CheckResult) -> str:
    """Describe a result without its service, as mrkdwn: type, status, reason and response time."""
    return escape(state_check(check))


def state_check(check: CheckResult) -> str:
    """State the same as plain text."""
    reason = clip(" ".join(check.error.split()), _ERROR)
    milliseconds = check.response_time_ms
    is_said = milliseconds is None or f"answered in {milliseconds} ms" in reason
    time = "" if is_said else f" ({milliseconds:,} ms)"
    return f"{_CHECKS[check.check_type]} {check.status}{f': {reason}' if reason else ''}{time}"


_UNREACHED = (
    "no answer within",
    "cannot connect",
    "cannot be resolved",
    "cannot be reached",
    "connection was closed before",
    "could not translate host name",
    "connection refused",
    "timeout expired",
)
"""Words of the checks for a server that gave no answer at all."""


def is_unreached(check: CheckResult) -> bool:
    """Return whether a check got no answer: no name, no connection, or no word within its time."""
    return any(words in check.error for words in _UNREACHED)


def order_failing(checks: Iterable[CheckResult]) -> list[CheckResult]:
    """Return the results that are not healthy, `down` first."""
    return sorted((check for check in checks if check.status != "healthy"), key=lambda check: check.status != "down")


def name_services(names: Sequence[str], limit: int) -> str:
    """List names in bold: all, or `limit` of them and a count of the others."""
    shown = [f"*{escape(name)}*" for name in names[:limit]]
    if left := len(names) - limit if len(names) > limit else 0:
        return f"{', '.join(shown)} and {left} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def fit_rows(rows: Sequence[str], name: str, *, most: int = ROWS, bullet: str = "• ") -> str:
    """Return as many whole rows as fit a section, and a count of the others by their `name`."""
    shown: list[str] = []
    room = _ROW_CHARS
    for row in rows[:most]:
        room -= len(bullet) + len(row) + 1
        if room < 0:
            break
        shown.append(f"{bullet}{row}")
    hidden = len(rows) - len(shown)
    return "\n".join([*shown, *([f"… and {format_count(hidden, f'more {name}')}."] if hidden else [])])
