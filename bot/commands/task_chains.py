"""Health of chains of tasks: `get_chain_health` says what is stuck, by which task, since when, and what frees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.commands.chain_answers import Chains, describe_all, describe_one
from bot.commands.inputs_work import OfHealth
from bot.commands.registry import command
from bot.decide.task_chains import ChainTask, find_stuck_chains
from bot.decide.workflow.next_question import may_restart
from bot.errors import TriageError
from bot.models.command_data.task_chains import ChainHealthData
from bot.models.task_status import find_stopper, find_task_status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.commands.command import CommandAnswer
    from bot.commands.search import TaskFinder
    from bot.models.interaction import Asker
    from bot.models.task_hold import TaskHold
    from bot.models.thread import Thread
    from bot.tasks.dependencies import Dependencies
    from bot.triage.task_index import TaskIndex
    from bot.triage.task_states import TaskStates

MAX_DOCUMENTS = 500
"""Number of documents that one answer reads."""


@dataclass(frozen=True, kw_only=True)
class ChainCommands:
    """Command that shows the health of chains. `dependencies` know which tasks are completed."""

    finder: TaskFinder
    states: TaskStates
    index: TaskIndex
    dependencies: Dependencies

    @command(
        "get_chain_health",
        "says which created tasks are stuck, on what, and what frees them",
        input=OfHealth,
        role="operator",
        tier="read",
        untrusted="people",
        result=ChainHealthData,
    )
    async def get_health(self, request: OfHealth, asker: Asker) -> CommandAnswer:
        """Show what is stuck; a task that waits for one at work is not."""
        thread = await self.finder.find(request.task, asker) if request.task else None
        chains = await self._read()
        if thread and thread.thread_id not in chains.tasks:
            chains.tasks[thread.thread_id] = _build_task(thread)
        stuck_chains = find_stuck_chains(chains.tasks)
        if thread is None:
            return describe_all(chains, stuck_chains)
        return describe_one(thread, await self.states.find_state(thread), chains, stuck_chains)

    async def _read(self) -> Chains:
        """Read the open created tasks from memory, and the documents of what they depend on, as far as needed."""
        holds = await self.states.schedule.list_holds()
        open_tasks = {name: _build_task(thread, holds.get(name, ())) for name, thread in self.index.open.items()}
        chains = Chains(open_tasks, holds)
        needed = {name for task in [*chains.tasks.values()] if task.status == "READY" for name in task.depends_on}
        unknown = [name for name in needed - chains.tasks.keys() if not self.dependencies.is_known_completed(name)]
        for name in sorted(unknown)[:MAX_DOCUMENTS]:
            chains.tasks[name] = await self._load(name)
        chains.unread = max(0, len(unknown) - MAX_DOCUMENTS)
        return chains

    async def _load(self, thread_id: str) -> ChainTask:
        try:
            thread = await self.finder.store.load(thread_id)
        except TriageError:
            thread = None  # its next event rebuilds it
        return _build_task(thread) if thread else ChainTask(thread_id=thread_id, task="", status="FAILED")


def _build_task(thread: Thread, holds: Sequence[TaskHold] = ()) -> ChainTask:
    order, never_starts = thread.order, any(hold.is_final for hold in holds)
    return ChainTask(
        thread_id=thread.thread_id,
        task=thread.task,
        status=find_task_status(thread, never_starts=never_starts),
        since=thread.status_history[-1].at,
        depends_on=order.depends_on if order and thread.is_about_order else (),
        can_restart=thread.status == "pending-user" or may_restart(thread),
        stopped_by=find_stopper(thread),
        never_starts=never_starts,
    )
