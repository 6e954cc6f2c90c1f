"""From an order to the end of its task: what starts, what waits and why, and what its dependents read."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.commands.work_counts import WorkCounts
from bot.models.agent import Agent
from bot.models.task_event import OrderEdited, TaskSkipped
from bot.models.task_hold import TaskHold
from bot.models.thread import Thread
from bot.models.thread_event import Deleted, Dismiss, Restarted, Stop
from bot.triage.task_states import TaskStates
from tests.builders import OPERATOR, added
from tests.fakes import settle
from tests.tasks.bench import DIRECT, Bench, project


@pytest.fixture
async def bench(tmp_path: Path) -> Bench:
    """Two projects, one agent with one slot."""
    return await Bench(tmp_path / "home").start()


def event(bench: Bench, kind: type[Any], thread: Thread, **fields: Any) -> Any:
    """An event of a person."""
    at = {"at": bench.clock.now(), "fresh": bench.clock.new_id()}
    draft = thread.draft_pending
    ids = {"draft_id": draft.draft_id, "nonce": draft.nonce} if draft else {}
    return kind(**at, **(ids | fields))


async def dismiss(bench: Bench, title: str) -> None:
    """Press Dismiss on the card of a task."""
    thread = await bench.task(title)
    ids = {"draft_id": f"{thread.thread_id}/0", "nonce": thread.card.nonce}
    await bench.orchestrator.submit(thread.thread_id, event(bench, Dismiss, thread, by=OPERATOR, **ids))
    await bench.settle()


@pytest.mark.parametrize("is_skipped", [False, True], ids=["restarted", "skipped"])
async def test_four_tasks_of_two_projects_of_which_one_fails(bench: Bench, is_skipped: bool) -> None:
    """Dependents of a failed task wait, whatever happens around them, until it is restarted or skipped."""
    bench.failing.add("A")
    await bench.create("A", project="shop")
    a = await bench.task("A")
    await bench.create("B", project="web")
    b = await bench.task("B")
    await bench.create("C", project="shop", depends_on=f"{a.task}, {b.task}")
    await bench.create("D", project="web", depends_on=b.task)
    await bench.settle()
    assert await bench.statuses() == {"A": "pending-user", "B": "pending-user", "C": "collecting", "D": "collecting"}
    await bench.approve("B")
    await bench.restart()
    await bench.settle()
    assert await bench.statuses() == {"A": "pending-user", "B": "replied", "C": "collecting", "D": "pending-user"}
    await dismiss(bench, "A")
    assert (await bench.task("C")).status == "collecting"
    bench.failing.clear()
    if is_skipped:
        await bench.orchestrator.submit(a.thread_id, event(bench, TaskSkipped, await bench.task("A"), by=OPERATOR))
        await bench.settle()
    else:
        again = event(bench, Restarted, await bench.task("A"), by=OPERATOR, mode="live", operator=OPERATOR)
        await bench.orchestrator.submit(a.thread_id, again)
        await bench.settle()
        await bench.approve("A")
    assert (await bench.task("C")).status == "pending-user"
    runs = {title: len(runs) for title, runs in bench.runs.items()}
    assert runs == {"A": 1 if is_skipped else 2, "B": 1, "C": 1, "D": 1}
    order = (await bench.task("C")).order
    assert order
    results = [("A", "" if is_skipped else "A is done."), ("B", "B is done.")]
    assert [(each.title, each.text) for each in order.inputs] == results


async def test_one_slot_runs_one_task_at_a_time(bench: Bench) -> None:
    """The lower number first; the next one starts once a person has to decide on the one before."""
    bench.held |= {"low", "high"}
    await bench.controls.set_state("paused", bench.clock.now())
    for title, priority in (("low", 200), ("middle", 100), ("high", 1)):
        await bench.create(title, priority=priority)
    assert await bench.scheduler.start_ready() == 0
    await bench.controls.set_state("running", bench.clock.now())
    await bench.settle()
    assert await bench.statuses() == {"low": "collecting", "middle": "collecting", "high": "investigating"}
    stopped = await bench.task("high")
    await bench.orchestrator.submit(stopped.thread_id, event(bench, Stop, stopped, by=OPERATOR, **_card(stopped)))
    await bench.settle()
    assert await bench.statuses() == {"low": "investigating", "middle": "pending-user", "high": "pending-user"}


def _card(thread: Thread) -> dict[str, str]:
    return {"draft_id": f"{thread.thread_id}/0", "nonce": thread.card.nonce}


async def test_agents_with_a_workspace_work_on_it_alone(bench: Bench) -> None:
    """And their slots are used before those of agents for all projects."""
    bench.held |= {"A", "B", "C", "D"}
    await bench.scheduler.agents.put(Agent(name="shop-only", project="shop", slots=2))
    for title, name in (("A", "shop"), ("B", "shop"), ("C", "web"), ("D", "web")):
        await bench.create(title, project=name)
    await bench.settle()
    agents = {each.order.title: each.order.agent for each in await bench.documents() if each.order}
    assert agents == {"A": "shop-only", "B": "shop-only", "C": "agent-1", "D": None}


async def test_a_project_has_at_most_its_agents(tmp_path: Path) -> None:
    """However many slots are free."""
    bench = await Bench(tmp_path / "home", roots=(project("shop", max_agents=1), project("web"))).start()
    bench.held |= {"A", "B", "C"}
    await bench.scheduler.agents.put(Agent(name="agent-1", slots=5))
    for title, name in (("A", "shop"), ("B", "shop"), ("C", "web")):
        await bench.create(title, project=name)
    await bench.settle()
    assert await bench.statuses() == {"A": "investigating", "B": "collecting", "C": "investigating"}
    holds = await bench.scheduler.planner.list_holds()
    assert holds == {
        (await bench.task("B")).thread_id: (TaskHold(reason="max-agents", project="shop", limit=1),),
    }


async def test_pauses_money_and_dependencies_hold_tasks_and_are_named(bench: Bench) -> None:
    """A task starts once nothing holds it, by the change itself."""
    await bench.projects.pause("shop", bench.clock.now())
    answer = await bench.create("A", project="shop")
    assert "the project shop is paused. `/triage resume_project shop` ends the pause" in answer.line
    a = await bench.task("A")
    assert f"it waits for `{a.task}`" in (await bench.create("B", depends_on=a.task)).line
    bench.used_up = True
    assert "the agents' money for today is used up" in (await bench.create("C")).line
    await bench.controls.set_state("stopped", bench.clock.now())
    await bench.settle()
    assert {*(await bench.statuses()).values()} == {"collecting"}
    bench.used_up = False
    bench.scheduler.tasks.news.clear()
    await bench.controls.set_state("running", bench.clock.now())
    await bench.orchestrator.release()
    assert bench.scheduler.tasks.news.is_set()
    await bench.settle()
    assert await bench.statuses() == {"A": "collecting", "B": "collecting", "C": "pending-user"}
    await bench.projects.pause("shop", None)
    await bench.settle()
    assert (await bench.task("A")).status == "pending-user"


async def test_a_task_of_a_deleted_project_never_starts_until_it_is_moved(bench: Bench) -> None:
    """It counts as blocked, and a task that depends on it waits; the project of an edit lets it start."""
    await bench.projects.pause("shop", bench.clock.now())
    await bench.create("A", project="shop")
    a = await bench.task("A")
    await bench.create("B", depends_on=a.task)
    bench.projects.settings = (project("web"),)
    await bench.settle()
    holds = await bench.scheduler.planner.list_holds()
    assert holds[a.thread_id] == (TaskHold(reason="project-gone", project="shop"),)
    work = await WorkCounts(projects=bench.projects, scheduler=bench.scheduler).count()
    assert work.tasks == {"BLOCKED": 2}
    states = TaskStates(store=bench.store, index=bench.scheduler.tasks, schedule=bench.scheduler.planner)
    assert [(await states.find_state(await bench.task(title))).status for title in "AB"] == ["BLOCKED", "BLOCKED"]
    assert [each.status for each in (await states.find_state(await bench.task("B"))).dependencies] == ["BLOCKED"]
    await bench.orchestrator.submit(a.thread_id, event(bench, OrderEdited, a, by=OPERATOR, project="web"))
    await bench.settle()
    moved = await bench.task("A")
    assert (moved.status, moved.route and moved.route.project) == ("pending-user", "web")


async def test_a_started_task_is_not_started_again_after_a_restart(bench: Bench) -> None:
    """Its run is repeated with the same id, and keeps its slot."""
    bench.held |= {"A", "B"}
    await bench.create("A")
    await bench.create("B")
    await bench.settle()
    await bench.restart()
    await bench.settle()
    assert bench.runs.keys() == {"A"}
    assert len({*bench.runs["A"]}) == 1
    assert [thread.task for thread in bench.scheduler.planner.list_running()] == [(await bench.task("A")).task]


async def test_a_further_question_in_its_thread_leaves_a_task_completed(bench: Bench) -> None:
    """Its dependents start all the same, with the result of the task."""
    await bench.create("A")
    await bench.settle()
    await bench.approve("A")
    a = await bench.task("A")
    asked = added("and why?", ts="1900000009.000001", root=a.root_ts, sender=OPERATOR)
    message = asked.message.evolve(chat_id=a.chat_id, thread_id=a.thread_id)
    await bench.orchestrator.submit(a.thread_id, replace(asked, message=message))
    assert (await bench.task("A")).status == "collecting"
    await bench.create("B", depends_on=a.task)
    await bench.settle()
    b = await bench.task("B")
    assert b.status == "pending-user"
    assert b.order
    assert b.order.inputs[0].text == "A is done."


async def test_a_dependency_that_is_gone_holds_its_dependents(bench: Bench) -> None:
    """It is named by its thread; nobody knows whether it was completed."""
    await bench.create("A")
    a = await bench.task("A")
    await bench.create("B", depends_on=a.task)
    path = bench.folder / "state" / f"{a.thread_id}.json"
    path.unlink()
    await bench.restart()
    await bench.settle()
    b = await bench.task("B")
    assert b.status == "collecting"
    holds = await bench.scheduler.planner.list_holds()
    assert holds == {b.thread_id: (TaskHold(reason="dependencies", tasks=(a.thread_id,)),)}


async def test_the_creator_hears_that_a_first_message_was_deleted(bench: Bench) -> None:
    """Once, by a direct message; the task goes on."""
    bench.held.add("A")
    await bench.create("A")
    await bench.settle()
    a = await bench.task("A")
    deleted = event(bench, Deleted, a, message_id=a.root_ts)
    await bench.orchestrator.submit(a.thread_id, deleted)
    await bench.settle()
    await bench.settle()
    notices = [each for each in bench.slack.posted if each["metadata"]["event_type"] == "triage_notice"]
    assert [each["channel"] for each in notices] == [DIRECT]
    assert "was deleted" in notices[0]["text"]
    assert (await bench.task("A")).status == "investigating"


async def test_it_waits_for_changes_and_for_the_next_day(bench: Bench) -> None:
    """Nothing is polled: a change, or the next day's money, wakes it."""
    running = asyncio.ensure_future(bench.scheduler.run())
    await settle()
    assert not bench.clock.waits
    await bench.create("A")
    for _ in range(20):
        await asyncio.sleep(0.002)
        await settle(20)
    assert (await bench.task("A")).status == "pending-user"
    running.cancel()
