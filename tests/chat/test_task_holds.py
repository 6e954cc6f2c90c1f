"""Why a task waits, in each answer about it, by table: the same holds that the scheduler decides by."""

from __future__ import annotations

import pytest

from bot.commands.inputs_work import ListTasks
from bot.models.command_data.tasks import TaskDetailsData
from bot.models.presses import Stop
from bot.models.task_hold import TaskHold
from bot.models.thread import Thread
from tests.builders import OPERATOR, moved
from tests.chat.crew import command
from tests.chat.test_task_changes import task
from tests.chat.test_tasks import Desk, asked, of
from tests.decide.test_task_events import stopped
from tests.decide.test_workflow import press

GONE = TaskHold(reason="project-gone", project="attic")
PAUSED = TaskHold(reason="project-paused", project="shop")
BEHIND = TaskHold(reason="dependencies", tasks=("other-1",))


def desk(thread: Thread, *holds: TaskHold) -> Desk:
    """A desk with a task that these hold."""
    made = Desk(thread)
    made.schedule.holds = {thread.thread_id: holds} if holds else {}
    return made


@pytest.mark.parametrize(
    ("hold", "status", "listed", "told"),
    [
        (GONE, "BLOCKED", "; never starts: the project attic no longer exists (", "project=…` moves it to another"),
        (PAUSED, "READY", "; does not start yet: the project shop is paused (", "`/triage resume_project shop` ends"),
        (TaskHold(reason="slots"), "READY", "; does not start yet: no agent has a free slot", "no agent has a free"),
        (TaskHold(reason="stopped"), "READY", "; does not start yet: Triage is stopped (", "`/triage resume` starts"),
        (TaskHold(reason="budget"), "READY", "; does not start yet: the agents' money", "`/triage allow` adds to it"),
        (TaskHold(reason="no-agent", project="shop"), "READY", "; does not start yet: no agent works", "create_agent"),
    ],
)
async def test_a_task_that_waits_says_why_wherever_it_is_shown(
    hold: TaskHold, status: str, listed: str, told: str
) -> None:
    """With the next step where it is shown alone."""
    thread = task(300)
    office = desk(thread, hold)
    answer = await office.views.get(of(thread.task), command())
    assert f"Status {status}, priority 100. It " in answer.text
    assert told in answer.text
    assert isinstance(answer.data, TaskDetailsData)
    assert (answer.data.task_status, answer.data.holds) == (status, (hold.reason,))
    assert told in (await office.views.result(of(thread.task), command())).line
    row = (await office.lists.list_tasks(ListTasks(status=status), command())).rows[0]
    assert f"*{status}*" in row
    assert listed in row
    skipped = await office.tasks.skip(of(thread.task), command(user_id=OPERATOR))
    if status == "READY":
        assert (skipped.outcome, told in skipped.line) == ("invalid", True)
        assert "starts by itself" not in skipped.line


async def test_a_restart_says_what_the_task_waits_for() -> None:
    """A project that was deleted meanwhile, above all."""
    thread = stopped()
    answer = await desk(thread, GONE, BEHIND).tasks.restart(of(thread.task), command(user_id=OPERATOR))
    assert (
        f"`{thread.task}` waits for its turn again. It never starts: the project attic no longer exists" in answer.line
    )


async def test_a_model_that_acts_hears_no_names_of_other_tasks() -> None:
    """They are made of people's words."""
    for via, words in (("chat", "it waits for other tasks"), ("slash", "it waits for `other-1`")):
        thread = stopped()
        answer = await desk(thread, BEHIND).tasks.restart(of(thread.task), command(user_id=OPERATOR, via=via))
        assert words in answer.line


@pytest.mark.parametrize("thread", [moved(one := task(300), press(Stop, one)), moved(two := asked(), press(Stop, two))])
async def test_a_task_that_a_person_stopped_says_who_and_when(thread: Thread) -> None:
    """Created or asked; nothing else holds it."""
    office = Desk(thread)
    text = (await office.views.get(of(thread.task), command())).text
    assert f" It was stopped by <@{OPERATOR}> <!date^" in text
    assert f"; `restart_task {thread.task}` starts it again" in text
    assert "get_chain_health" not in text
    row = (await office.lists.list_tasks(ListTasks(status="BLOCKED"), command())).rows[0]
    assert (f"; stopped by <@{OPERATOR}>" in row) == (thread.order is not None)
