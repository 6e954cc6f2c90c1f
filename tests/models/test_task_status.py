"""Statuses of tasks, by table."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from bot.models.presses import Redraft, Stop
from bot.models.status import Outcome, Status
from bot.models.task_status import COMPLETED_OUTCOMES, TASK_STATUSES, TaskStatus, find_task_status
from tests.builders import OPERATOR, moved
from tests.decide.test_workflow import collecting, investigating, pending, press

_BY_STATUS: list[tuple[Status, TaskStatus]] = [
    ("collecting", "READY"),
    ("investigating", "IN_PROGRESS"),
    ("escalated", "IN_PROGRESS"),
    ("awaiting-validation", "IN_PROGRESS"),
    ("bounced-round-1", "IN_PROGRESS"),
    ("pending-user", "AWAITING_APPROVAL"),
    ("approved", "IN_PROGRESS"),
    ("in-doubt", "AWAITING_APPROVAL"),
]
_FAILED: tuple[Outcome, ...] = ("dismissed", "expired", "withdrawn", "muted")


@pytest.mark.parametrize(("status", "expected"), _BY_STATUS, ids=[status for status, _ in _BY_STATUS])
def test_each_open_status_of_a_thread_with_a_draft_has_its_task_status(status: Status, expected: TaskStatus) -> None:
    """The draft that waits is what AWAITING_APPROVAL is about."""
    assert find_task_status(pending().evolve(status=status)) == expected


@pytest.mark.parametrize("outcome", get_args(Outcome))
def test_each_outcome_is_completed_or_failed(outcome: Outcome) -> None:
    """An outcome is one of both, never a third."""
    thread = pending().evolve(status="closed", outcome=outcome)
    assert find_task_status(thread) == ("COMPLETED" if outcome in COMPLETED_OUTCOMES else "FAILED")
    assert {*COMPLETED_OUTCOMES, *_FAILED} == {*get_args(Outcome)}


def test_the_table_has_every_status() -> None:
    """A new status of a thread needs its row here."""
    assert {status for status, _ in _BY_STATUS} == {*get_args(Status)} - {"closed"}
    assert {*TASK_STATUSES} == {*get_args(TaskStatus)}


@pytest.mark.parametrize(
    ("dependencies", "expected"),
    [
        ((), "READY"),
        (("COMPLETED", "COMPLETED"), "READY"),
        (("COMPLETED", "IN_PROGRESS"), "BLOCKED"),
        (("FAILED",), "BLOCKED"),
    ],
)
def test_a_task_is_ready_when_all_that_it_depends_on_is_completed(dependencies: Any, expected: TaskStatus) -> None:
    """One that is not done holds it."""
    assert find_task_status(collecting(), dependencies) == expected


def test_dependencies_matter_before_its_start_alone() -> None:
    """A task that runs is in progress, however its dependencies stand by now."""
    assert find_task_status(investigating(), ("FAILED",)) == "IN_PROGRESS"


@pytest.mark.parametrize("story", [collecting, investigating])
def test_a_task_that_a_person_stopped_is_blocked_and_one_that_failed_is_not(story: Any) -> None:
    """The document names who stopped it, until its next run begins."""
    thread = story()
    stopped = moved(thread, press(Stop, thread))
    assert stopped.stopped_by == OPERATOR
    assert find_task_status(stopped) == "BLOCKED"
    assert find_task_status(stopped.evolve(stopped_by=None)) == "FAILED"
    again = moved(stopped, press(Redraft, stopped))
    assert (again.stopped_by, find_task_status(again)) == (None, "IN_PROGRESS")
