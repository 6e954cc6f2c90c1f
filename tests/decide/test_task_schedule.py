"""Choice of the created tasks that start now, by table."""

from __future__ import annotations

import pytest

from bot.decide.task_schedule import ProjectShare, ReadyTask, RunningTask, choose_starts
from bot.models.agent import Agent
from tests.builders import at

ONE = (Agent(name="agent-1"),)


def ready(name: str, *, project: str | None = None, priority: int = 100, seconds: float = 0) -> ReadyTask:
    """A task that nothing holds but a slot."""
    return ReadyTask(thread_id=name, project=project, priority=priority, created_at=at(seconds))


def chosen(
    *tasks: ReadyTask,
    running: tuple[RunningTask, ...] = (),
    agents: tuple[Agent, ...] = ONE,
    starts: tuple[str, ...] = (),
    shares: dict[str, ProjectShare] | None = None,
) -> str:
    """The tasks that start, in order, each with its agent if that is not the default one."""
    made = choose_starts(tasks, running, agents, starts=starts, shares=shares or {})
    return " ".join(start.task.thread_id + (f"@{start.agent}" if start.agent != "agent-1" else "") for start in made)


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
