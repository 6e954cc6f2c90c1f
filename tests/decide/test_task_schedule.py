"""Choice of the created tasks that start now, by table."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.task_schedule import ProjectShare, RunningTask, SchedulePlan, WaitingTask, plan_tasks
from bot.models.agent import Agent
from bot.models.task_hold import TaskHold
from tests.builders import at
from tests.tables import each_row

ONE = (Agent(name="agent-1"),)


def ready(
    name: str, *, project: str | None = None, priority: int = 100, seconds: float = 0, **more: Any
) -> WaitingTask:
    """A task that nothing holds but a slot, unless `more` says so."""
    return WaitingTask(thread_id=name, project=project, priority=priority, created_at=at(seconds), **more)


def chosen(
    *tasks: WaitingTask,
    running: tuple[RunningTask, ...] = (),
    agents: tuple[Agent, ...] = ONE,
    starts: tuple[str, ...] = (),
    shares: dict[str, ProjectShare] | None = None,
) -> str:
    """The tasks that start, in order, each with its agent if that is not the default one."""
    made = plan_tasks(tasks, running, agents, starts=starts, shares=shares or {})
    assert {start.task.thread_id for start in made.starts} | made.holds.keys() == {task.thread_id for task in tasks}
    assert all(made.holds.values())
    agents_by_task = {start.task.thread_id: start.agent for start in made.starts}
    return " ".join(f"{name}@{agent}".removesuffix("@agent-1") for name, agent in agents_by_task.items())


THREE = (Agent(name="agent-1", slots=3),)
SHOP = Agent(name="shop-agent", project="shop")


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (chosen(), ""),
        (chosen(ready("a"), agents=()), ""),
        (chosen(ready("b", seconds=2), ready("a", seconds=1)), "a"),
        (chosen(ready("old"), ready("first", priority=1, seconds=9), agents=THREE), "first old"),
        (chosen(ready("a"), running=(RunningTask(agent="agent-1", project=None),)), ""),
        (chosen(ready("a"), running=(RunningTask(agent="gone", project=None),)), "a"),
        (
            chosen(ready("a"), ready("b", seconds=1), ready("c", seconds=2), ready("d", seconds=3), agents=THREE),
            "a b c",
        ),
    ],
    ids=["nothing", "no agent", "oldest", "priority", "slot taken", "retired agent", "slots"],
)
def test_the_lowest_number_and_the_oldest_take_the_free_slots(result: str, expected: str) -> None:
    """As many as there are slots."""
    assert result == expected


@pytest.mark.parametrize(
    ("starts", "weights", "expected"),
    [
        ((), {}, "shop web"),
        (("shop",), {}, "web shop"),
        (("shop", "web"), {}, "shop web"),
        (("shop", "shop", "web"), {"shop": 3.0}, "shop web"),
        (("shop", "shop", "shop", "web"), {"shop": 3.0}, "shop web"),
        (("shop", "shop", "shop", "shop", "web"), {"shop": 3.0}, "web shop"),
    ],
)
def test_projects_share_the_starts_by_their_weight(
    starts: tuple[str, ...], weights: dict[str, float], expected: str
) -> None:
    """Among tasks of the same priority the project with the smallest share comes first."""
    tasks = (ready("shop", project="shop"), ready("web", project="web", seconds=1))
    shares = {name: ProjectShare(weight=weight) for name, weight in weights.items()}
    assert chosen(*tasks, agents=THREE, starts=starts, shares=shares) == expected


def test_a_start_counts_for_the_next_choice() -> None:
    """So that the slots that are free at the same time are shared, too."""
    tasks = (
        ready("s1", project="shop"),
        ready("s2", project="shop", seconds=1),
        ready("w", project="web", seconds=2),
        ready("n", seconds=3),
    )
    assert chosen(*tasks, agents=(Agent(name="agent-1", slots=4),)) == "s1 w n s2"


def test_agents_of_a_project_come_first_and_take_no_other() -> None:
    """The slots of the others stay free for other projects."""
    tasks = (ready("s1", project="shop"), ready("s2", project="shop", seconds=1), ready("w", project="web", seconds=2))
    assert chosen(*tasks, agents=(*ONE, SHOP)) == "s1@shop-agent w"
    assert chosen(*tasks[2:], ready("n"), agents=(SHOP,)) == ""
    assert chosen(*tasks[:2], agents=(*ONE, SHOP)) == "s1@shop-agent s2"


@pytest.mark.parametrize(("most", "expected"), [(None, "s1 s2 w"), (2, "s1 w"), (1, "w")])
def test_no_more_tasks_of_a_project_run_than_it_may_have(most: int | None, expected: str) -> None:
    """One of its tasks runs already."""
    tasks = (ready("s1", project="shop"), ready("s2", project="shop"), ready("w", project="web", seconds=1))
    running = (RunningTask(agent=None, project="shop"),)
    shares = {"shop": ProjectShare(max_agents=most)}
    made = chosen(*tasks, running=running, agents=THREE, shares=shares)
    assert sorted(made.split()) == expected.split()


PAUSED = TaskHold(reason="project-paused", project="shop")
GONE = TaskHold(reason="project-gone", project="attic")
TAKEN = (RunningTask(agent="agent-1", project="web"),)


def plan(
    *tasks: WaitingTask,
    running: tuple[RunningTask, ...] = (),
    agents: tuple[Agent, ...] = ONE,
    shares: dict[str, ProjectShare] | None = None,
    **more: Any,
) -> SchedulePlan:
    """The plan for these tasks."""
    return plan_tasks(tasks, running, agents, starts=(), shares=shares or {}, **more)


@each_row(
    ("made", "expected"),
    [
        (plan(ready("a")), None),
        (plan(ready("a", waits_for=("x", "y"))), "dependencies"),
        (plan(ready("a", project="shop", project_hold=PAUSED)), "project-paused"),
        (plan(ready("a", project="attic", project_hold=GONE, waits_for=("x",))), "project-gone dependencies"),
        (plan(ready("a", project="shop", project_hold=PAUSED, waits_for=("x",))), "dependencies project-paused"),
        (plan(ready("a"), agents=()), "no-agent"),
        (plan(ready("a", project="web"), agents=(SHOP,)), "no-agent"),
        (plan(ready("a"), agents=(SHOP,)), "no-agent"),
        (plan(ready("a"), running=TAKEN), "slots"),
        (plan(ready("b"), ready("a", seconds=1)), "slots"),
        (
            plan(
                ready("a", project="shop"),
                running=(RunningTask(agent="gone", project="shop"),),
                shares={"shop": ProjectShare(max_agents=1)},
            ),
            "max-agents",
        ),
        (plan(ready("a"), state="paused"), "paused"),
        (plan(ready("a"), state="stopped", is_money_used_up=True), "stopped budget"),
        (plan(ready("a", waits_for=("x",)), is_money_used_up=True, running=TAKEN), "dependencies budget"),
        (plan(ready("a", project="web"), agents=(SHOP,), state="paused"), "no-agent paused"),
    ],
)
def test_what_does_not_start_is_held_by_all_that_holds_it(made: SchedulePlan, expected: str | None) -> None:
    """Slots and the project's limit are named where nothing else holds it; what never ends comes first."""
    holds = made.holds.get("a")
    assert (" ".join(hold.reason for hold in holds) if holds else None) == expected
    assert ("a" in {start.task.thread_id for start in made.starts}) == (expected is None)


def test_a_hold_names_what_it_is_about() -> None:
    """The tasks, the project and its limit."""
    shares = {"shop": ProjectShare(max_agents=1)}
    tasks = (ready("a", waits_for=("x",)), ready("b", project="shop"), ready("c", project="shop", seconds=1))
    made = plan(*tasks, agents=(*ONE, SHOP), shares=shares)
    assert made.holds == {
        "a": (TaskHold(reason="dependencies", tasks=("x",)),),
        "c": (TaskHold(reason="max-agents", project="shop", limit=1),),
    }
    assert plan(ready("w", project="web"), agents=(SHOP,)).holds == {"w": (TaskHold(reason="no-agent", project="web"),)}
