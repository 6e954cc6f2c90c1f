"""Incidents: opened by a service that is unhealthy twice in a row, one for each group, and over once all are healthy.

Further services of the group join it, and another failure within the cooldown continues it. Many groups that fail at
once are one incident.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.decide.health.cooldowns import is_flapping
from bot.decide.health.states import failing_since, is_unhealthy, is_worse
from bot.models.incident import SEVERAL_GROUPS
from bot.models.incident_record import IncidentRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, timedelta

    from bot.models.service_state import ServiceState

IN_ROW = 2
"""Number of runs in a row that confirm a failure, or a recovery."""
MANY_GROUPS = 5
"""Number of groups from which a failure at once may be one of the checking machine."""


@dataclass(frozen=True, kw_only=True)
class IncidentRules:
    """Rules for incidents. `window` is the time within which failures count as one, `new_id` the next incident's id."""

    cooldown: timedelta
    window: timedelta
    may_open: bool
    new_id: str


def apply_states(
    records: Sequence[IncidentRecord],
    states: Mapping[str, ServiceState],
    service: str,
    now: datetime,
    rules: IncidentRules,
) -> tuple[IncidentRecord, ...]:
    """Return the records after a run of a service; `states` are those of all services, by name."""
    state = states[service]
    updated = tuple(_recover(record, states, now, rules) for record in records)
    if state.unhealthy_in_row >= IN_ROW:
        updated = _fail(updated, states, state, now, rules)
    elif begin := failing_since(state):
        updated = _prolong(updated, state.group, begin, now + rules.cooldown)
    elif state.healthy_in_row == IN_ROW:
        updated = _note_healthy(updated, state)
    return tuple(record for record in updated if _is_needed(record, states, now))


def end_removed(
    records: Sequence[IncidentRecord], states: Mapping[str, ServiceState], now: datetime
) -> tuple[IncidentRecord, ...]:
    """Return the records after a change of the settings: those whose failed services are all gone are over."""
    return tuple(
        _end(record, states, now, now) if record.is_open and not _keeps_failed(record, states) else record
        for record in records
    )


def _keeps_failed(record: IncidentRecord, states: Mapping[str, ServiceState]) -> bool:
    return len(_list_unchecked(record, states)) < len(record.services)


def _list_unchecked(record: IncidentRecord, states: Mapping[str, ServiceState]) -> tuple[str, ...]:
    """Return the failed services that the settings no longer have in a group of this incident."""
    return tuple(name for name in record.services if name not in states or states[name].group not in record.groups)


def _end(
    record: IncidentRecord, states: Mapping[str, ServiceState], now: datetime, cooldown_until: datetime
) -> IncidentRecord:
    return record.evolve(
        recovered_at=now,
        cooldown_until=cooldown_until,
        unchecked=_list_unchecked(record, states),
        revision=record.revision + 1,
    )


def list_covered(record: IncidentRecord, states: Mapping[str, ServiceState]) -> tuple[ServiceState, ...]:
    """Return the states of the services that an incident covers, those of many groups only as far as they failed."""
    if record.group == SEVERAL_GROUPS:
        gone = _list_unchecked(record, states)
        return tuple(states[name] for name in record.services if name not in gone)
    return _list_all(record, states)


def find_open(records: Sequence[IncidentRecord], group: str) -> IncidentRecord | None:
    """Return the open incident that covers a group, if any."""
    return next((record for record in records if record.is_open and group in record.groups), None)


def _recover(
    record: IncidentRecord, states: Mapping[str, ServiceState], now: datetime, rules: IncidentRules
) -> IncidentRecord:
    covered = _list_all(record, states)
    is_confirmed = bool(covered) and all(state.healthy_in_row >= IN_ROW for state in covered)
    if not record.is_open or not is_confirmed or any(is_flapping(state, rules.cooldown, now) for state in covered):
        return record
    return _end(record, states, now, now + rules.cooldown)


def _list_all(record: IncidentRecord, states: Mapping[str, ServiceState]) -> tuple[ServiceState, ...]:
    """Return the states of all services whose recovery an incident waits for."""
    return tuple(state for state in states.values() if state.group in record.groups)


def _fail(
    records: tuple[IncidentRecord, ...],
    states: Mapping[str, ServiceState],
    state: ServiceState,
    now: datetime,
    rules: IncidentRules,
) -> tuple[IncidentRecord, ...]:
    """Apply a confirmed failure: to the open incident, to one in its cooldown, or to a new one."""
    since = failing_since(state) or now
    if record := find_open(records, state.group):
        return _replace(records, _continue(record, state))
    if record := _find_cooling(records, state.group, since):
        free = tuple(group for group in record.groups if not find_open(records, group))
        return _replace(records, _continue(record.evolve(groups=free), state))
    several = next((each for each in records if each.is_open and each.group == SEVERAL_GROUPS), None)
    if several and abs(since - several.since) <= rules.window:
        joined = several.evolve(groups=(*several.groups, state.group))
        return _replace(records, _continue(joined, state))
    return (*records, _open(records, states, state, now, rules)) if rules.may_open else records


def _find_cooling(records: Sequence[IncidentRecord], group: str, since: datetime) -> IncidentRecord | None:
    """Return the incident that a failure since this time continues; the newest one of its group."""
    cooling = [each for each in records if each.cooldown_until and each.cooldown_until >= since]
    return next((each for each in reversed(cooling) if group in each.groups), None)


def _prolong(
    records: tuple[IncidentRecord, ...], group: str, since: datetime, until: datetime
) -> tuple[IncidentRecord, ...]:
    """Prolong the cooldown in which a failure falls that is not confirmed, so that no flapping opens a new thread."""
    record = _find_cooling(records, group, since)
    return _replace(records, record.evolve(cooldown_until=until)) if record else records


def _note_healthy(records: tuple[IncidentRecord, ...], state: ServiceState) -> tuple[IncidentRecord, ...]:
    """Let the thread of an open incident know that one of its failed services is healthy again."""
    record = find_open(records, state.group)
    if record is None or state.service not in record.services:
        return records
    return _replace(records, record.evolve(revision=record.revision + 1))


def _continue(record: IncidentRecord, state: ServiceState) -> IncidentRecord:
    """Return an incident with a failure: told if it is new, worse, or comes again after a healthy run.

    After a recovery its services and their worst statuses are those of the new outage.
    """
    services, before = (record.services, record.worst) if record.is_open else ((), {})
    worst = _with_worst(before, state)
    is_news = worst != record.worst or not record.is_open or state.unhealthy_in_row == IN_ROW
    return record.evolve(
        services=tuple(dict.fromkeys((*services, state.service))),
        worst=worst,
        session_id=state.session_id or record.session_id,
        recovered_at=None,
        cooldown_until=None,
        unchecked=(),
        revision=record.revision + is_news,
    )


def _open(
    records: Sequence[IncidentRecord],
    states: Mapping[str, ServiceState],
    state: ServiceState,
    now: datetime,
    rules: IncidentRules,
) -> IncidentRecord:
    begin = failing_since(state) or now
    failing = [each for each in states.values() if _fails_with(each, begin, rules.window)]
    groups = {each.group for each in failing}
    checked = {each.group for each in states.values() if each.status is not None}
    if len(groups) < MANY_GROUPS or 2 * len(groups) <= len(checked):
        failing = [each for each in states.values() if each.group == state.group and each.unhealthy_in_row >= IN_ROW]
        return _build(state.group, failing, state, now, rules)
    free = [each for each in failing if not _is_taken(records, each)]
    return _build(SEVERAL_GROUPS, free, state, now, rules)


def _fails_with(state: ServiceState, begin: datetime, window: timedelta) -> bool:
    since = failing_since(state)
    return since is not None and abs(since - begin) <= window


def _is_taken(records: Sequence[IncidentRecord], state: ServiceState) -> bool:
    """Return whether another incident has the group of a failing service, or will continue with it."""
    since = failing_since(state)
    return bool(find_open(records, state.group) or (since and _find_cooling(records, state.group, since)))


def _build(
    group: str, failing: Sequence[ServiceState], state: ServiceState, now: datetime, rules: IncidentRules
) -> IncidentRecord:
    worst: dict[str, Any] = {}
    for each in failing:
        worst = _with_worst(worst, each)
    return IncidentRecord(
        incident_id=rules.new_id,
        group=group,
        groups=tuple(dict.fromkeys(each.group for each in failing)),
        services=tuple(each.service for each in failing),
        since=min(since for each in failing if (since := failing_since(each))),
        opened_at=now,
        worst=worst,
        session_id=state.session_id,
    )


def _with_worst(worst: Mapping[str, Any], state: ServiceState) -> dict[str, Any]:
    """Return the worst statuses after the latest results of a service."""
    after = dict(worst)
    for result in state.results:
        key = f"{result.service} {result.check_type}"
        if result.status != "healthy" and is_worse(result.status, after.get(key)):
            after[key] = result.status
    return after


def _replace(records: Sequence[IncidentRecord], changed: IncidentRecord) -> tuple[IncidentRecord, ...]:
    return tuple(changed if each.incident_id == changed.incident_id else each for each in records)


def _is_needed(record: IncidentRecord, states: Mapping[str, ServiceState], now: datetime) -> bool:
    """Return whether a record is open, in its cooldown, behind, or will continue with a failure that has begun."""
    until = record.cooldown_until
    if until is None or until >= now or (record.is_behind and record.thread_id is not None):
        return True
    begins = (failing_since(state) for state in _list_all(record, states) if is_unhealthy(state))
    return any(begin <= until for begin in begins if begin)
