"""Cooldowns of services: flapping, and the snapshot that a handoff has (spec 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.decide.health.states import is_unhealthy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime, timedelta

    from bot.models.incident_record import IncidentRecord
    from bot.models.service_state import ServiceState

FLAPS = 3
"""Number of outages, each within the cooldown of the one before, from which a service flaps."""


def list_outages(state: ServiceState) -> tuple[datetime, ...]:
    """Return the begins of the last outages of a service, oldest first; the changes alternate."""
    last_first = state.changes[::-1]
    return (last_first if is_unhealthy(state) else last_first[1:])[::2][::-1]


def is_flapping(state: ServiceState, cooldown: timedelta, now: datetime) -> bool:
    """Return whether a service had three outages, each within the cooldown of the one before, and no calm one since."""
    last = state.changes[-2 * FLAPS + is_unhealthy(state) :]
    begins, ends = last[::2], last[1::2]
    is_often = len(begins) == FLAPS and all(
        begin - end <= cooldown for begin, end in zip(begins[1:], ends, strict=False)
    )
    return is_often and now - last[-1] < cooldown


def snapshot_cooldowns(
    states: Iterable[ServiceState], records: Sequence[IncidentRecord], cooldown: timedelta, now: datetime
) -> dict[str, Any]:
    """Build the snapshot of the cooldowns, by service: the state, the end of the cooldown, and the outages in it."""
    return {state.service: _snapshot(state, records, cooldown, now) for state in states}


def _snapshot(
    state: ServiceState, records: Sequence[IncidentRecord], cooldown: timedelta, now: datetime
) -> dict[str, Any]:
    ends = [record.cooldown_until for record in records if state.group in record.groups and record.cooldown_until]
    until = max((end for end in ends if end > now), default=None)
    outages = sum(now - begin <= cooldown for begin in list_outages(state))
    return {
        "state": "failing" if is_unhealthy(state) else "in cooldown" if until else "none",
        "until": until.isoformat() if until else None,
        "outages_in_cooldown": outages,
        "cooldown_min": round(cooldown.total_seconds() / 60, 2),
    }
