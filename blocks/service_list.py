"""List of services within a number of characters: all that are not healthy, in short form where they are many."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from blocks.services import describe_briefly, describe_service
from blocks.text import escape, format_count

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.models.service_state import ServiceState

MAX_DETAILED = 20
"""Services that a list in Slack describes in detail."""
_LAST_ROW = 170
"""Characters for the row that counts the others."""


def list_services(states: Sequence[ServiceState], now: datetime, *, url: str, limit: int | None) -> tuple[str, ...]:
    """Describe ordered states in rows of `limit` characters, all of them without a limit.

    Where the detailed rows do not fit, those that are not healthy have a line each, and at last their names only.
    """
    if limit is None:
        return tuple(describe_service(state, now, url=url) for state in states)
    failing = [state for state in states if state.status != "healthy"]
    rows = [describe_service(state, now, url=url) for state in failing[: MAX_DETAILED + 1]]
    left = limit - _LAST_ROW
    named: Sequence[ServiceState] = failing
    if len(rows) > MAX_DETAILED or _measure(rows) > left:
        rows, named = _shorten(failing, now, left)
    left -= _measure(rows)
    healthy = [state for state in states if state.status == "healthy"]
    shown = 0
    for state in healthy[: max(0, MAX_DETAILED - len(failing))]:
        row = describe_service(state, now, url=url)
        is_last = len(named) == len(failing) and shown + 1 == len(healthy)
        left -= len(row) + 1
        if left < (-_LAST_ROW if is_last else 0):
            break
        rows.append(row)
        shown += 1
    return (*rows, *_count_others(failing[len(named) :], len(healthy) - shown))


def _shorten(failing: Sequence[ServiceState], now: datetime, limit: int) -> tuple[list[str], Sequence[ServiceState]]:
    """Return a line for each of the first states and a row of the others' names, with the states that they show."""
    lines = [describe_briefly(state, now) for state in failing]
    for number in range(len(lines), 0, -1):
        rows = [*lines[:number], *_name_all(failing[number:])]
        if _measure(rows) <= limit:
            return rows, failing
    for number in range(len(failing), 0, -1):
        rows = _name_all(failing[:number])
        if _measure(rows) <= limit:
            return rows, failing[:number]
    return [], failing[:0]


def _name_all(states: Sequence[ServiceState]) -> list[str]:
    """Name services in one row for each status."""
    groups = groupby(states, key=_describe_status)
    return [f"*{status}*: {', '.join(escape(state.service) for state in group)}." for status, group in groups]


def _describe_status(state: ServiceState) -> str:
    if state.status:
        return state.status
    return "could not be checked" if state.unchecked else "not checked yet"


def _count_others(failing: Sequence[ServiceState], healthy: int) -> list[str]:
    """Count the services that are not shown."""
    if not failing and not healthy:
        return []
    unhealthy = sum(state.status is not None for state in failing)
    health = f"{unhealthy} of them not healthy" if unhealthy else "none of them unhealthy"
    number = format_count(len(failing) + healthy, "more service")
    return [f"… and {number}, {health}: `services` and a name or group shows them, `triage command services` all."]


def _measure(rows: Sequence[str]) -> int:
    return sum(len(row) + 1 for row in rows)
