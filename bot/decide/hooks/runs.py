"""Runs of hooks: whether one may begin, and the record after each of its steps. Pure.

An event counts if it is later than the hook's last change and than the last begin of a run with its cooldown. So an
event that comes again after a crash begins nothing: its run began after it. The clock of a forge or of Slack may be
ahead of this machine's, so messages and merge requests are known by their ids, too.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from bot.decide.hooks.cron import find_next_time
from bot.models.hook import Schedule
from bot.models.hook_record import MAX_EVENT_IDS, MAX_FAILURES, MAX_LINE_CHARS, MAX_RUNS, HookNotice, HookRun

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.models.hook import Hook
    from bot.models.hook_record import HookCause, HookRecord, RunOutcome

MAX_NOTICES = 20
"""Notices of a hook that wait for Slack; the oldest are dropped first."""
_BY_NOW = ("schedule", "file")
"""Causes that are found by a look at the clock or at the code, not by the time of an event."""


def plan(record: HookRecord, *, zone: str, now: datetime) -> HookRecord:
    """Return a record with the next time of its schedule after now; without one for a disabled hook."""
    trigger = record.hook.trigger
    is_timed = isinstance(trigger, Schedule) and record.hook.is_enabled
    next_at = find_next_time(trigger.cron, zone, now) if isinstance(trigger, Schedule) and is_timed else None
    return record.evolve(next_at=next_at)


def find_due(record: HookRecord, now: datetime) -> datetime | None:
    """Return the time of its schedule that is due; of several that passed, the first one."""
    is_due = record.hook.is_enabled and record.next_at is not None and record.next_at <= now
    return record.next_at if is_due else None


def may_begin(record: HookRecord, cause: HookCause, now: datetime) -> bool:
    """Return whether a cause may begin a run now."""
    hook, last = record.hook, record.last_started_at
    if record.open_run:
        return False
    if cause.kind == "fired":
        return True
    if cause.event_id and cause.event_id in record.event_ids:
        return False
    at = now if cause.kind in _BY_NOW else cause.at
    is_ready = last is None or is_cooled_down(hook, last, at)
    return hook.is_enabled and is_ready and (cause.kind in _BY_NOW or cause.at > hook.changed_at)


def is_cooled_down(hook: Hook, last_started_at: datetime, at: datetime) -> bool:
    """Return whether the cooldown after the begin of a run is over.

    A schedule counts whole minutes, so that a run that began late by seconds does not hold the one an hour later, and
    takes a begin in the future for one of a clock that was set back.
    """
    if isinstance(hook.trigger, Schedule):
        since = last_started_at.replace(second=0, microsecond=0)
        return not since <= at < since + timedelta(minutes=hook.cooldown_min)
    return at > last_started_at + timedelta(minutes=hook.cooldown_min)


def begin_run(record: HookRecord, cause: HookCause, run_id: str, *, zone: str, now: datetime) -> HookRecord:
    """Return a record with a run that has begun, and the next time of its schedule."""
    run = HookRun(run_id=run_id, cause=cause, started_at=now)
    event_ids = (*record.event_ids, cause.event_id)[-MAX_EVENT_IDS:] if cause.event_id else record.event_ids
    open_record = record.evolve(runs=(*record.runs, run)[-MAX_RUNS:], event_ids=event_ids, last_started_at=now)
    return plan(open_record, zone=zone, now=now) if cause.kind == "schedule" else open_record


def decide_action(record: HookRecord, description: str, digest: str) -> HookRecord:
    """Return a record whose open run is about to act, with what it gives to its action."""
    return _replace_run(record, record.runs[-1].evolve(description=description, digest=digest))


def end_run(
    record: HookRecord, outcome: RunOutcome, line: str, *, now: datetime, digest: str = "", notice: str = ""
) -> HookRecord:
    """Return a record whose open run has ended; the third failure in a row disables the hook.

    `notice` is a message to its owner, as mrkdwn.
    """
    open_run = record.runs[-1]
    run = open_run.evolve(
        outcome=outcome,
        line=line[:MAX_LINE_CHARS],
        ended_at=now,
        cause=open_run.cause.evolve(text=open_run.cause.text[:MAX_LINE_CHARS]),
        description=None,
        digest="",
    )
    failures = record.failures + 1 if outcome == "failed" else 0
    is_last = failures >= MAX_FAILURES and record.hook.is_enabled
    notices = (HookNotice(notice_id=run.run_id, since=now, text=notice),) if notice else ()
    closed_record = record.evolve(
        failures=failures,
        digest=(digest or open_run.digest) if outcome != "failed" else record.digest,
        runs=_join_skipped((*record.runs[:-1], run)),
        notices=(*record.notices, *notices)[-MAX_NOTICES:],
    )
    return closed_record.evolve(hook=record.hook.evolve(is_enabled=False), next_at=None) if is_last else closed_record


def disables(record: HookRecord) -> bool:
    """Return whether one more failure disables the hook."""
    return record.hook.is_enabled and record.failures + 1 >= MAX_FAILURES


def _replace_run(record: HookRecord, run: HookRun) -> HookRecord:
    return record.evolve(runs=(*record.runs[:-1], run))


def _join_skipped(runs: Sequence[HookRun]) -> tuple[HookRun, ...]:
    """Count a skipped run together with the one before it, if both began and ended for the same reason."""
    if len(runs) < 2:
        return tuple(runs)
    *_, before, last = runs
    if last.outcome != "skipped" or _format_end(before) != _format_end(last):
        return tuple(runs)
    return (*runs[:-2], last.evolve(repeats=before.repeats + 1))


def _format_end(run: HookRun) -> tuple[str, str, str | None, str]:
    return run.cause.kind, run.cause.by, run.outcome, run.line
