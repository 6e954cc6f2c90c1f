"""Begins and ends of runs, and conditions, by table."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.decide.hooks.conditions import compute_digest, find_skip_reason
from bot.decide.hooks.runs import MAX_NOTICES, begin_run, decide_action, disables, end_run, find_due, may_begin, plan
from bot.models.hook import Condition, Hook
from bot.models.hook_record import MAX_EVENT_IDS, MAX_RUNS, CauseKind, HookCause, HookRecord
from tests.builders import T0
from tests.tables import each_row

MINUTE = timedelta(minutes=1)


def record(when: dict[str, Any] | None = None, **changes: Any) -> HookRecord:
    """A hook every minute, or with another trigger, changed at T0."""
    state = {name: changes.pop(name) for name in [*changes] if name in HookRecord.model_fields}
    trigger = when or {"kind": "schedule", "cron": "* * * * *"}
    hook = {"name": "h", "trigger": trigger, "prompt": "Look.", "owner": "U0ADMIN", "changed_at": T0} | changes
    return HookRecord(hook=Hook.model_validate(hook), **state)


TASK = {"kind": "task"}


def cause(kind: CauseKind = "schedule", minutes: float = 0.0) -> HookCause:
    """A cause so many minutes after T0."""
    return HookCause(kind=kind, at=T0 + minutes * MINUTE)


def run(before: HookRecord, outcome: Any = "created", minutes: float = 1.0, **options: Any) -> HookRecord:
    """The record after a run that began so many minutes after T0."""
    now = T0 + minutes * MINUTE
    open_record = begin_run(before, cause("fired", minutes), f"r{minutes:g}", zone="UTC", now=now)
    return end_run(open_record, outcome, options.pop("line", outcome), now=now, **options)


@each_row(
    ("kind", "minutes", "changes", "expected"),
    [
        ("schedule", 1, {}, True),
        ("schedule", 1, {"is_enabled": False}, False),
        ("schedule", 1, {"cooldown_min": 60, "last_started_at": T0 - 59 * MINUTE}, True),
        ("schedule", 1, {"cooldown_min": 61, "last_started_at": T0 - 59 * MINUTE + timedelta(seconds=30)}, False),
        ("schedule", 1, {"cooldown_min": 60, "last_started_at": T0 - 57.4 * MINUTE}, False),
        ("schedule", 1, {"cooldown_min": 60, "last_started_at": T0 + 30 * MINUTE}, True),
        ("fired", 1, {"cooldown_min": 60, "last_started_at": T0}, True),
        ("fired", 1, {"is_enabled": False}, True),
        ("task", 1, {"when": TASK, "cooldown_min": 1}, True),
        ("task", 0, {"when": TASK, "cooldown_min": 1}, False),
        ("task", 1, {"when": TASK, "cooldown_min": 1, "last_started_at": T0}, False),
        ("task", 1.1, {"when": TASK, "cooldown_min": 1, "last_started_at": T0}, True),
        ("task", 1, {"when": TASK, "cooldown_min": 1, "last_started_at": T0 + 2 * MINUTE}, False),
        ("task", 1, {"when": TASK, "is_enabled": False}, False),
        ("file", -5, {"when": {"kind": "file", "pattern": "a"}, "cooldown_min": 1}, True),
        ("file", -5, {"when": {"kind": "file", "pattern": "a"}, "cooldown_min": 9, "last_started_at": T0}, False),
    ],
)
def test_what_may_begin_a_run(kind: CauseKind, minutes: float, changes: dict[str, Any], expected: bool) -> None:
    """Times and files count from now, events from their own time; a person's command always counts."""
    now = T0 + (max(minutes, 1) + 1) * MINUTE if kind not in ("schedule", "fired") else T0 + minutes * MINUTE
    assert may_begin(record(**changes), cause(kind, minutes), now) is expected


def test_nothing_begins_while_a_run_is_open() -> None:
    """Not even by a person's command."""
    open_record = begin_run(record(), cause(), "r", zone="UTC", now=T0)
    assert open_record.open_run
    assert not may_begin(open_record, cause("fired", 9), T0 + 9 * MINUTE)


def test_an_event_that_began_a_run_begins_none_again() -> None:
    """Whatever its time says, and after as many others as are kept; one without an id is known by its time."""
    ahead = HookCause(kind="message", at=T0 + 900 * MINUTE, event_id="m0")
    after = record({"kind": "task"}, cooldown_min=1)
    for number in range(MAX_EVENT_IDS):
        next_cause = ahead.evolve(event_id=f"m{number}")
        assert may_begin(after, next_cause, T0 + MINUTE)
        after = end_run(begin_run(after, next_cause, "r", zone="UTC", now=T0 + MINUTE), "skipped", "", now=T0)
        assert not may_begin(after, next_cause, T0 + MINUTE)
    assert not may_begin(after, ahead, T0 + MINUTE)
    assert may_begin(after, ahead.evolve(event_id=""), T0 + MINUTE)
    assert begin_run(after, ahead, "r", zone="UTC", now=T0).event_ids[0] == "m1"


def test_missed_times_are_one_run() -> None:
    """The first of them is due, and after it the next one after now."""
    planned = plan(record(), zone="UTC", now=T0)
    assert planned.next_at == T0 + MINUTE
    assert find_due(planned, T0) is None
    later = T0 + timedelta(hours=5, seconds=3)
    assert find_due(planned, later) == T0 + MINUTE
    open_record = begin_run(planned, cause("schedule", 1), "r", zone="UTC", now=later)
    assert open_record.next_at == T0 + timedelta(hours=5, minutes=1)


def test_a_disabled_hook_and_an_event_hook_have_no_next_time() -> None:
    """Even if one was planned before."""
    for changes in ({"is_enabled": False}, {"when": TASK}):
        assert plan(record(next_at=T0, **changes), zone="UTC", now=T0).next_at is None
    assert find_due(record(next_at=T0, is_enabled=False), T0) is None


def test_three_failures_in_a_row_disable_a_hook() -> None:
    """A run that was skipped begins the count anew; the third failure says that it disables."""
    after = record(next_at=T0)
    for outcome in ("failed", "failed", "skipped", "failed"):
        after = run(after, outcome)
        assert after.hook.is_enabled
    after = run(after, "failed")
    assert (after.failures, disables(after)) == (2, True)
    after = run(after, "failed", notice="Disabled.")
    assert (after.hook.is_enabled, after.next_at) == (False, None)
    assert [notice.text for notice in after.notices] == ["Disabled."]
    assert not disables(after)


def test_a_failed_run_keeps_the_digest_of_the_one_before() -> None:
    """So what has changed since is not taken for unchanged."""
    open_record = begin_run(record(digest="old"), cause(), "r", zone="UTC", now=T0)
    acting = decide_action(open_record, "Look.", "new")
    assert (acting.open_run and acting.open_run.description) == "Look."
    assert end_run(acting, "failed", "no", now=T0).digest == "old"
    closed_record = end_run(acting, "created", "yes", now=T0)
    assert (closed_record.digest, closed_record.runs[0].description, closed_record.runs[0].digest) == ("new", None, "")
    assert end_run(open_record, "skipped", "same", now=T0, digest="new").digest == "new"


def test_the_history_is_bounded_and_counts_equal_skips_together() -> None:
    """A thousand times nothing changed is one line, and pushes nothing out."""
    after = run(record(), "created", minutes=1)
    for minute in range(2, 1_002):
        after = run(after, "skipped", minutes=minute, line="nothing changed")
    assert [(each.outcome, each.repeats) for each in after.runs] == [("created", 1), ("skipped", 1_000)]
    for minute in range(1_002, 1_040):
        after = run(after, "created", minutes=minute, notice="x" * 10)
    assert (len(after.runs), len(after.notices)) == (MAX_RUNS, MAX_NOTICES)
    after = run(after, "skipped", line="empty")
    assert after.runs[-1].repeats == 1
    due = begin_run(after, cause("schedule"), "r", zone="UTC", now=T0)
    assert end_run(due, "skipped", "empty", now=T0).runs[-1].repeats == 1


@pytest.mark.parametrize(
    ("kind", "pattern", "outputs", "reason"),
    [
        ("unchanged", "", ("a", "b"), "nothing changed"),
        ("unchanged", "", ("ab", ""), ""),
        ("empty", "", (" ", "\n"), "the output is empty"),
        ("empty", "", (), "the output is empty"),
        ("empty", "", ("", "x"), ""),
        ("matches", "^ok", ("OK then",), "the output matches ^ok"),
        ("matches", "^ok", ("not ok",), ""),
        ("lacks", "error", ("fine",), "the output lacks error"),
        ("lacks", "error", ("an Error",), ""),
    ],
)
def test_conditions(kind: Any, pattern: str, outputs: tuple[str, ...], reason: str) -> None:
    """Are decided by the output alone; the same text in other steps is a change."""
    condition = Condition(kind=kind, pattern=pattern)
    last = compute_digest(("a", "b"))
    result = find_skip_reason(condition, outputs, digest=compute_digest(outputs), last_digest=last)
    assert result == reason
    assert find_skip_reason(None, outputs, digest=last, last_digest=last) == ""
