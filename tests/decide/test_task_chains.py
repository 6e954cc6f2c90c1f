"""Chains of tasks, by table: what is stuck, by which task, and what merely waits."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bot.decide.task_chains import ChainTask, find_stuck_chains, list_dependents

if TYPE_CHECKING:
    from bot.models.task_status import TaskStatus


def chain(**tasks: tuple[TaskStatus, str]) -> dict[str, ChainTask]:
    """Tasks by name, each with its status and the names of those that it depends on."""
    return {
        name: ChainTask(thread_id=name, task=name, status=status, depends_on=tuple(after.split()))
        for name, (status, after) in tasks.items()
    }


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ({}, {}),
        ({"a": ("READY", ""), "b": ("READY", "a")}, {}),
        ({"a": ("IN_PROGRESS", ""), "b": ("READY", "a"), "c": ("READY", "b")}, {}),
        ({"a": ("AWAITING_APPROVAL", ""), "b": ("READY", "a")}, {}),
        ({"a": ("COMPLETED", ""), "b": ("READY", "a")}, {}),
        ({"a": ("FAILED", "")}, {}),
        ({"a": ("FAILED", ""), "b": ("READY", "a")}, {"a": "b"}),
        ({"a": ("BLOCKED", ""), "b": ("READY", "a"), "c": ("READY", "b"), "d": ("READY", "c")}, {"a": "b c d"}),
        ({"a": ("FAILED", ""), "b": ("IN_PROGRESS", "a"), "c": ("READY", "b")}, {}),
        ({"a": ("FAILED", ""), "b": ("BLOCKED", "a"), "c": ("READY", "b")}, {"b": "c"}),
        ({"a": ("FAILED", ""), "b": ("READY", "a x"), "x": ("IN_PROGRESS", "")}, {"a": "b"}),
        ({"a": ("FAILED", ""), "x": ("BLOCKED", ""), "b": ("READY", "a x")}, {"a": "b", "x": "b"}),
        (
            {"a": ("FAILED", ""), "b": ("READY", "a"), "c": ("READY", "a"), "d": ("READY", "b c")},
            {"a": "b c d"},
        ),
        ({"a": ("FAILED", ""), "b": ("READY", "gone"), "c": ("READY", "a")}, {"a": "c"}),
    ],
)
def test_stuck_is_what_waits_for_one_that_failed_or_was_stopped(
    tasks: dict[str, tuple[TaskStatus, str]], expected: dict[str, str]
) -> None:
    """Directly or through others that wait; what runs, waits for approval or is done holds nobody up for good."""
    found = find_stuck_chains(chain(**tasks))
    assert {each.cause.task: " ".join(task.task for task in each.stuck) for each in found} == expected


def test_a_task_that_never_starts_is_a_chain_of_its_own() -> None:
    """With what waits for it, or alone; one that was stopped is a chain only if it holds another."""
    tasks = chain(a=("BLOCKED", ""), b=("READY", "a"), c=("BLOCKED", "b"), d=("BLOCKED", ""))
    tasks |= {name: replace(tasks[name], never_starts=True) for name in ("a", "c")}
    found = find_stuck_chains(tasks)
    assert [(each.cause.task, [task.task for task in each.stuck]) for each in found] == [("a", ["b"]), ("c", [])]


def test_the_chain_that_holds_most_comes_first() -> None:
    """Among equals the older thread."""
    tasks = chain(
        a=("FAILED", ""), b=("READY", "a"), x=("FAILED", ""), y=("READY", "x"), z=("READY", "y"), q=("READY", "a1"),
        a1=("FAILED", ""),
    )  # fmt: skip
    assert [each.cause.task for each in find_stuck_chains(tasks)] == ["x", "a", "a1"]


def test_a_circle_of_a_damaged_document_ends() -> None:
    """Commands never make one."""
    tasks = chain(a=("FAILED", "c"), b=("READY", "a c"), c=("READY", "b"))
    (found,) = find_stuck_chains(tasks)
    assert [task.task for task in found.stuck] == ["b", "c"]


def test_a_chain_of_a_thousand_tasks_is_followed_at_once() -> None:
    """One after another, and all after one."""
    line = {f"t{n}": ("READY" if n else "FAILED", f"t{n - 1}" if n else "") for n in range(1_000)}
    fan = {f"f{n}": ("READY", "t0") for n in range(1_000)}
    tasks = chain(**line, **fan)  # type: ignore[arg-type]  # tables of words
    began = time.process_time()
    (found,) = find_stuck_chains(tasks)
    assert time.process_time() - began < 1
    assert len(found.stuck) == 1_999


def test_dependents_are_the_direct_ones() -> None:
    """By the thread that they depend on."""
    tasks = chain(a=("READY", ""), b=("READY", "a"), c=("READY", "a b"))
    assert list_dependents(tasks.values()) == {"a": ["b", "c"], "b": ["c"]}
