"""Words for the holds of a created task, by table."""

from __future__ import annotations

from typing import get_args

import pytest

from bot.decide.hold_words import describe_holds, describe_reason, suggest_step
from bot.models.task_hold import HoldReason, TaskHold

GONE = TaskHold(reason="project-gone", project="attic")


@pytest.mark.parametrize(
    ("holds", "expected"),
    [
        ((), ""),
        (
            (GONE, TaskHold(reason="paused")),
            "It never starts: the project attic no longer exists. `/triage edit_task t-1 project=…` moves it to "
            "another, `/triage delete_task t-1` removes it.",
        ),
        (
            (TaskHold(reason="dependencies", tasks=("a-1", "b-1")),),
            "It does not start yet: it waits for `a-1`, `b-1`.",
        ),
        (
            (TaskHold(reason="dependencies", tasks=tuple(f"a-{n}" for n in range(7))),),
            "It does not start yet: it waits for `a-0`, `a-1`, `a-2`, `a-3`, `a-4` and 2 more.",
        ),
        ((TaskHold(reason="dependencies"),), "It does not start yet: it waits for other tasks."),
        (
            (TaskHold(reason="project-paused", project="shop"), TaskHold(reason="stopped")),
            "It does not start yet: the project shop is paused; Triage is stopped. `/triage resume_project shop` ends "
            "the pause. `/triage resume` starts it again.",
        ),
        (
            (TaskHold(reason="project-unusable", project="shop", detail="it is fetched"),),
            "It does not start yet: the code of the project shop is not available yet: it is fetched.",
        ),
        (
            (TaskHold(reason="no-agent", project="shop"),),
            "It does not start yet: no agent works on the project shop. `/triage create_agent NAME shop` adds one.",
        ),
        (
            (TaskHold(reason="no-agent"),),
            "It does not start yet: no agent works on tasks without a project. `/triage create_agent NAME none` adds "
            "one.",
        ),
        (
            (TaskHold(reason="max-agents", project="shop", limit=2),),
            "It does not start yet: the project shop has as many tasks at work as it may have, 2 (`max_agents`).",
        ),
        (
            (TaskHold(reason="budget"),),
            "It does not start yet: the agents' money for today is used up. `/triage allow` adds to it, else the next "
            "day does.",
        ),
        ((TaskHold(reason="slots"),), "It does not start yet: no agent has a free slot for it."),
    ],
)
def test_a_hold_is_said_with_its_next_step(holds: tuple[TaskHold, ...], expected: str) -> None:
    """All of them, unless one never ends."""
    assert describe_holds(holds, "t-1") == expected


@pytest.mark.parametrize("reason", get_args(HoldReason))
def test_every_reason_has_words(reason: HoldReason) -> None:
    """Complete ones, also without any detail."""
    hold = TaskHold(reason=reason)
    assert describe_reason(hold)
    assert "{" not in describe_reason(hold) + suggest_step(hold, "t-1")


@pytest.mark.parametrize(
    ("is_one", "words"), [(True, "it waits for other tasks"), (False, "they wait for other tasks")]
)
def test_a_reason_agrees_with_the_number_of_tasks(is_one: bool, words: str) -> None:
    """One task or several."""
    assert describe_reason(TaskHold(reason="dependencies"), is_one=is_one) == words
