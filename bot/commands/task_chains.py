"""Health of chains of tasks: `get_chain_health` says what is stuck, by which task, since when, and what frees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.text import escape, moment
from bot.commands.command import CommandAnswer
from bot.commands.inputs_work import OfHealth
from bot.commands.registry import command
from bot.commands.state import count
from bot.decide.task_chains import ChainTask, find_stuck_chains, list_dependents
from bot.decide.workflow.next_question import may_restart
from bot.errors import TriageError
from bot.models.command_data.task_chains import ChainHealthData, StuckChainData
from bot.models.command_data.tasks import DependencyData
from bot.models.task_status import find_task_status

if TYPE_CHECKING:
    from bot.commands.search import TaskFinder
    from bot.decide.task_chains import StuckChain
    from bot.models.interaction import Asker
    from bot.models.thread import Thread
    from bot.tasks.dependencies import Dependencies
    from bot.triage.task_index import TaskIndex
    from bot.triage.task_states import TaskState, TaskStates

MAX_DOCUMENTS = 500
"""Number of documents that one answer reads."""
MAX_CHAINS = 10
"""Number of stuck chains that one answer lists."""
_NAMES = 8
"""Number of tasks named in a row."""


@dataclass
class _Chains:
    """Open created tasks, and the tasks that they depend on, by thread."""

    tasks: dict[str, ChainTask] = field(default_factory=dict)
    unread: int = 0
    """Number of documents that were not read."""


@dataclass(frozen=True, kw_only=True)
class ChainCommands:
    """Command that shows the health of chains. `dependencies` know which tasks are completed."""

    finder: TaskFinder
    states: TaskStates
    index: TaskIndex
    dependencies: Dependencies

    @command(
        "get_chain_health",
        "says which created tasks are stuck, by which task, since when, and what frees them: of a task, or of all",
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
            return _describe_all(chains, stuck_chains)
        return _describe_one(thread, await self.states.find_state(thread), chains, stuck_chains)

    async def _read(self) -> _Chains:
        """Read the open created tasks from memory, and the documents of what they depend on, as far as needed."""
        chains = _Chains({name: _build_task(thread) for name, thread in self.index.open.items()})
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


def _build_task(thread: Thread) -> ChainTask:
    order = thread.order
    return ChainTask(
        thread_id=thread.thread_id,
        task=thread.task,
        status=find_task_status(thread),
        since=thread.status_history[-1].at,
        depends_on=order.depends_on if order and thread.is_about_order else (),
        can_restart=thread.status == "pending-user" or may_restart(thread),
    )


def _describe_all(chains: _Chains, stuck_chains: tuple[StuckChain, ...]) -> CommandAnswer:
    """Say which of all created tasks are stuck."""
    data = _build_data(chains, stuck_chains)
    unread = f" {chains.unread:,} documents were not read." if chains.unread else ""
    if not stuck_chains:
        verb = "waits" if data.waiting == 1 else "wait"
        wait = f"{count(data.waiting, 'task')} {verb} for others or for a start" if data.waiting else "none waits"
        return CommandAnswer(line=f"No task is stuck; {wait}.{unread}", data=data)
    verb = "is" if data.stuck == 1 else "are"
    line = f"{count(data.stuck, 'task')} {verb} stuck, held by {count(len(stuck_chains), 'other task')}.{unread}"
    rows = [_describe_chain(chain) for chain in stuck_chains[:MAX_CHAINS]]
    if len(stuck_chains) > MAX_CHAINS:
        rows.append(f"… and {len(stuck_chains) - MAX_CHAINS:,} more.")
    return CommandAnswer(line=line, rows=tuple(rows), data=data)


def _describe_one(
    thread: Thread, state: TaskState, chains: _Chains, stuck_chains: tuple[StuckChain, ...]
) -> CommandAnswer:
    """Say what holds a task, and what it holds."""
    own = [chain for chain in stuck_chains if chain.cause.thread_id == thread.thread_id]
    holding = [chain for chain in stuck_chains if any(task.thread_id == thread.thread_id for task in chain.stuck)]
    by_thread = list_dependents(task for task in chains.tasks.values() if task.status == "READY")
    dependents = [chains.tasks[name].task for name in by_thread.get(thread.thread_id, ())]
    data = _build_data(chains, stuck_chains, listed=(*own, *holding)).evolve(
        task=thread.task,
        task_status=state.status,
        waits_for=tuple(
            DependencyData(thread_id=each.thread_id, task=each.task or None, task_status=each.status)
            for each in state.blockers
        ),
        dependents=tuple(dependents),
    )
    line = _describe_position(thread, state, holding)
    if dependents and not own:
        names = _list_names([f"`{escape(name)}`" for name in dependents])
        line += f" {count(len(dependents), 'task')} depend{'s' * (len(dependents) == 1)} on it: {names}."
    elif not own:
        line += " No task waits for it."
    rows = [_describe_chain(chain) for chain in (*own, *holding)[:MAX_CHAINS]]
    return CommandAnswer(line=line, rows=tuple(rows), data=data)


def _describe_position(thread: Thread, state: TaskState, holding: list[StuckChain]) -> str:
    """Name the status of a task, and what it waits for."""
    line = f"`{thread.task}` is {state.status}"
    if holding:
        return f"{line} and stuck, held by {_list_names([_name(chain.cause) for chain in holding])}."
    if thread.stopped_by:
        return f"{line}: <@{thread.stopped_by}> stopped it, and `restart_task {thread.task}` starts it again."
    if state.status == "BLOCKED" and state.blockers:
        blockers = [f"`{escape(each.task)}` ({each.status})" for each in state.blockers]
        return f"{line}, but not stuck: it waits for {_list_names(blockers)}."
    return f"{line}."


def _describe_chain(chain: StuckChain) -> str:
    """Name the cause of a chain, the tasks that it holds, and the commands that free them."""
    cause, names = chain.cause, [f"`{escape(task.task)}`" for task in chain.stuck]
    holds = f"{count(len(names), 'task')}: {_list_names(names)}"
    if not cause.task:
        return f"A task whose document is gone (`{cause.thread_id}`) holds {holds}. `skip_task` closes each of these."
    since = f" since {moment(cause.since)}" if cause.since else ""
    restart = f"`restart_task {cause.task}` starts it again, " if cause.can_restart else ""
    return f"{_name(cause)} is {cause.status}{since} and holds {holds}. {restart}`skip_task {cause.task}` frees them."


def _name(task: ChainTask) -> str:
    return f"`{escape(task.task or task.thread_id)}`"


def _list_names(names: list[str]) -> str:
    return f"{', '.join(names[:_NAMES])}{f' and {len(names) - _NAMES:,} more' if len(names) > _NAMES else ''}"


def _build_data(
    chains: _Chains, stuck_chains: tuple[StuckChain, ...], *, listed: tuple[StuckChain, ...] | None = None
) -> ChainHealthData:
    """Build the figures; `listed` are the chains to list, all of them by default."""
    chain_list = stuck_chains if listed is None else listed
    data = tuple(
        StuckChainData(
            cause=chain.cause.task or None,
            cause_thread_id=chain.cause.thread_id,
            cause_status=chain.cause.status,
            since=chain.cause.since,
            can_restart=chain.cause.can_restart,
            stuck=tuple(task.task for task in chain.stuck),
        )
        for chain in chain_list[:MAX_CHAINS]
    )
    return ChainHealthData(
        task=None,
        task_status=None,
        waits_for=(),
        dependents=(),
        waiting=sum(task.status == "READY" for task in chains.tasks.values()),
        stuck=len({task.thread_id for chain in stuck_chains for task in chain.stuck}),
        chains=data,
        omitted=len(chain_list) - len(data) + chains.unread,
    )
