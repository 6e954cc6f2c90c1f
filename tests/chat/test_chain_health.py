"""`get_chain_health`: what is stuck, by which task, since when, and the command that frees it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from bot.commands.chain_answers import MAX_CHAINS
from bot.commands.inputs_work import OfHealth
from bot.commands.task_chains import MAX_DOCUMENTS, ChainCommands
from bot.models.command_data.task_chains import ChainHealthData
from bot.models.presses import Stop
from bot.models.task_hold import TaskHold
from bot.models.thread_event import Mute
from bot.tasks.dependencies import Dependencies
from tests.builders import OPERATOR, at, fresh, moved
from tests.chat.crew import command, handler
from tests.chat.test_task_changes import task
from tests.chat.test_task_list import Counting
from tests.chat.test_tasks import Desk, asked, dismissed, drafted, failed, of
from tests.decide import ordered
from tests.decide.test_workflow import press

if TYPE_CHECKING:
    from bot.commands.command import CommandAnswer
    from bot.models.thread import Thread


class Chains(Desk):
    """Threads, and the command."""

    def __init__(self, *threads: Thread) -> None:
        super().__init__(*threads)
        self.dependencies = Dependencies(store=self.store)
        self.chains = ChainCommands(
            finder=self.tasks.finder,
            states=self.tasks.states,
            index=self.orchestrator.open_threads.tasks,
            dependencies=self.dependencies,
        )

    async def health(self, thread: Thread | None = None) -> CommandAnswer:
        """Of a task, or of all."""
        given = {"task": thread.task} if thread else {}
        return await self.chains.get_health(OfHealth.model_validate(given), command())


def data(answer: CommandAnswer) -> ChainHealthData:
    """The figures."""
    assert isinstance(answer.data, ChainHealthData)
    return answer.data


def stopped(number: int) -> Thread:
    """A created task that a person stopped."""
    return moved(thread := task(number), press(Stop, thread))


async def test_a_chain_behind_a_failed_task_is_stuck_until_it_is_skipped() -> None:
    """Two that wait one after the other; the answer names the commands, and skipping frees them."""
    cause = failed(400)
    first = task(500, depends_on=(cause.thread_id,))
    second = task(600, depends_on=(first.thread_id,))
    chains = Chains(cause, first, second)
    answer = await chains.health()
    assert answer.line == "2 tasks are stuck, held by 1 other task."
    assert answer.rows[0].startswith(f"`{cause.task}` is FAILED since <!date^")
    assert f"holds 2 tasks: `{first.task}`, `{second.task}`" in answer.rows[0]
    assert f"`restart_task {cause.task}` starts it again, `skip_task {cause.task}` frees them" in answer.rows[0]
    (chain,) = data(answer).chains
    assert (chain.cause, chain.stuck, chain.can_restart) == (cause.task, (first.task, second.task), True)
    assert (await chains.tasks.skip(of(cause.task), command(user_id=OPERATOR))).outcome == "done"
    chains.dependencies.forget(cause.thread_id)
    answer = await chains.health()
    assert answer.line == "No task is stuck; 2 tasks wait for others or for a start."


async def test_a_task_that_a_person_stopped_holds_its_chain() -> None:
    """As one that failed."""
    cause = stopped(400)
    waits = task(500, depends_on=(cause.thread_id,))
    answer = await Chains(cause, waits).health(waits)
    assert answer.line.startswith(f"`{waits.task}` is BLOCKED and stuck, held by `{cause.task}`.")
    assert f"`{cause.task}` is BLOCKED since" in answer.rows[0]
    assert f", stopped by <@{OPERATOR}>, and holds 1 task" in answer.rows[0]
    assert data(answer).chains[0].stopped_by == OPERATOR
    assert data(answer).task_status == "BLOCKED"


@pytest.mark.parametrize("before", [asked(400), drafted(400), task(400)], ids=["runs", "awaits approval", "ready"])
async def test_a_task_that_waits_for_one_at_work_is_not_stuck(before: Thread) -> None:
    """The answer names that one with its status."""
    waits = task(500, depends_on=(before.thread_id,))
    chains = Chains(before, waits)
    assert (await chains.health()).line.startswith("No task is stuck")
    answer = await chains.health(waits)
    assert f"is BLOCKED, but not stuck: it waits for `{before.task}` (" in answer.line
    assert data(answer).waits_for[0].task == before.task
    assert f"1 task depends on it: `{waits.task}`" in (await chains.health(before)).line


async def test_the_cause_itself_names_what_it_holds() -> None:
    """Also a closed one, which a person's silence keeps from a restart."""
    muted = moved(drafted(400), Mute(at=at(20), fresh=fresh()))
    waits = task(500, depends_on=(muted.thread_id,))
    answer = await Chains(muted, waits).health(muted)
    assert answer.line == f"`{muted.task}` is FAILED."
    assert "restart_task" not in answer.rows[0]
    assert f"`skip_task {muted.task}` frees it" in answer.rows[0]
    assert (await Chains(again := dismissed(400), waits).health(again)).rows[0].count("restart_task") == 1


async def test_a_task_alone_has_no_chain() -> None:
    """Whatever its status; one that was stopped says by whom, and what starts it."""
    stopped_thread = stopped(400)
    line = (await Chains(stopped_thread).health(stopped_thread)).line
    assert line.startswith(f"`{stopped_thread.task}` is BLOCKED: stopped by <@{OPERATOR}> <!date^")
    assert f"; `restart_task {stopped_thread.task}` starts it again. No task waits for it." in line
    answer = await Chains(thread := failed(400)).health(thread)
    assert (answer.line, answer.rows) == (f"`{thread.task}` is FAILED. No task waits for it.", ())


GONE = TaskHold(reason="project-gone", project="attic")


async def test_a_task_of_a_project_that_is_gone_is_stuck_itself() -> None:
    """It never starts, also if it holds nothing; a pause only lets tasks wait."""
    gone, paused = task(400, project="attic"), task(600)
    chains = Chains(gone, waits := task(500, depends_on=(gone.thread_id,)), paused)
    waiting = (TaskHold(reason="dependencies", tasks=(gone.task,)),)
    chains.schedule.holds = {
        gone.thread_id: (GONE,),
        waits.thread_id: waiting,
        paused.thread_id: (TaskHold(reason="project-paused", project="shop"),),
    }
    answer = await chains.health()
    assert answer.line == "1 task is stuck, held by 1 other task. 1 task never starts."
    assert answer.rows == (
        f"`{gone.task}` never starts: the project attic no longer exists; it holds 1 task: `{waits.task}`. `skip_task "
        f"{gone.task}` frees it. `/triage edit_task {gone.task} project=…` moves it to another, `/triage delete_task "
        f"{gone.task}` removes it.",
        f"`{paused.task}` does not start yet: the project shop is paused. `/triage resume_project shop` ends the "
        "pause.",
    )
    assert (data(answer).stuck, data(answer).waiting, data(answer).chains[0].never_starts) == (2, 3, True)
    assert [(held.reason, held.tasks) for held in data(answer).held] == [("project-paused", (paused.task,))]
    own = await chains.health(gone)
    assert (own.line, own.rows) == (f"`{gone.task}` is BLOCKED.", answer.rows[:1])
    assert "is BLOCKED and stuck, held by" in (await chains.health(waits)).line
    del chains.schedule.holds[waits.thread_id]
    chains.orchestrator.open_threads.tasks.open.pop(waits.thread_id)
    answer = await chains.health()
    assert answer.line == "1 task never starts."
    line = (await chains.health(gone)).line
    assert line.startswith(f"`{gone.task}` is BLOCKED. It never starts: the project attic no longer exists. `/triage ")
    assert answer.rows[0].startswith(f"`{gone.task}` never starts: the project attic no longer exists. `/triage edit")
    assert (await chains.tasks.skip(of(gone.task), command(user_id=OPERATOR))).outcome == "done"


async def test_a_task_that_waits_says_for_what() -> None:
    """Beside the tasks that it depends on."""
    chains = Chains(before := asked(400), waits := task(500, depends_on=(before.thread_id,)), ready := task(600))
    budget = TaskHold(reason="budget")
    chains.schedule.holds = {
        waits.thread_id: (TaskHold(reason="dependencies", tasks=(before.task,)), budget),
        ready.thread_id: (budget,),
    }
    line = (await chains.health(waits)).line
    assert f"it waits for `{before.task}` (IN_PROGRESS). It does not start yet: the agents' money for today is" in line
    line = (await chains.health(ready)).line
    assert line.startswith(f"`{ready.task}` is READY. It does not start yet: the agents' money for today is used up.")
    answer = await chains.health()
    assert answer.line == "No task is stuck; 2 tasks wait for others or for a start."
    assert answer.rows[0] == f"`{waits.task}` does not start yet: it waits for other tasks."


async def test_a_document_that_is_gone_holds_what_depends_on_it() -> None:
    """Those are skipped themselves."""
    waits = task(500, depends_on=("T0SANDBOX-C0HELP-1.000001",))
    answer = await Chains(waits).health()
    assert "A task whose document is gone (`T0SANDBOX-C0HELP-1.000001`) holds 1 task" in answer.rows[0]
    assert data(answer).chains[0].cause is None


async def test_a_completed_dependency_is_read_once() -> None:
    """A thousand tasks after one, and one after another; the rest is in memory."""
    done = ordered.replied()
    cause = dismissed(400)
    many = [
        task(1_000 + n, depends_on=(done.thread_id, cause.thread_id) if n % 2 else (done.thread_id,))
        for n in range(1_000)
    ]
    chains = Chains(done, cause, *many)
    store = Counting()
    store.saved = chains.store.saved
    object.__setattr__(chains.tasks.finder, "store", store)
    chains.dependencies.store = store
    await chains.dependencies.list_open(many[1].order or ordered.order())
    store.loaded = 0
    began = time.process_time()
    answer = await chains.health()
    assert time.process_time() - began < 1
    assert store.loaded == 1
    assert answer.line.startswith("500 tasks are stuck, held by 1 other task")
    assert len(answer.text) < 1_000
    assert len(data(answer).chains[0].stuck) == 500


async def test_no_more_documents_are_read_than_said() -> None:
    """And no more chains listed."""
    causes = [dismissed(10_000 + n) for n in range(MAX_DOCUMENTS + 5)]
    many = [task(20_000 + n, depends_on=(cause.thread_id,)) for n, cause in enumerate(causes)]
    chains = Chains(*causes, *many)
    answer = await chains.health()
    assert "5 documents were not read" in answer.line
    assert (len(answer.rows), answer.rows[-1]) == (MAX_CHAINS + 1, f"… and {MAX_DOCUMENTS - MAX_CHAINS} more.")
    assert data(answer).omitted == MAX_DOCUMENTS - MAX_CHAINS + 5


@pytest.mark.parametrize(
    ("given", "user", "outcome"),
    [({"task": "a b"}, OPERATOR, "invalid"), ({"task": "gone-1"}, OPERATOR, "invalid"), ({}, "U0ANA", "refused")],
)
async def test_a_bad_task_and_a_member_get_no_answer(given: dict[str, Any], user: str, outcome: str) -> None:
    """As for every command on tasks."""
    chains = Chains()
    office = handler(runs={"get_chain_health": chains.chains.get_health})
    bound = office.commands["get_chain_health"]
    assert bound.spec.role == "operator"
    if outcome == "invalid" and given["task"] == "gone-1":
        answer = await chains.chains.get_health(OfHealth.model_validate(given), command(user_id=user))
    else:
        answer = await office.execute("get_chain_health", given, command(user_id=user))
    assert answer.outcome == outcome
