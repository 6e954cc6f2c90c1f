"""Answers about chains of tasks: what is stuck and what merely waits, why, and the commands that free it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blocks.text import escape, moment
from bot.commands.answers import describe_stop
from bot.commands.command import CommandAnswer
from bot.commands.state import count
from bot.decide.hold_words import describe_holds, describe_reason, describe_wait, select_relevant, suggest_step
from bot.decide.task_chains import list_dependents
from bot.models.command_data.task_chains import ChainHealthData, HeldTasksData, StuckChainData
from bot.models.command_data.tasks import DependencyData
from bot.models.task_hold import TaskHold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.decide.task_chains import ChainTask, StuckChain
    from bot.models.thread import Thread
    from bot.triage.task_states import TaskState

MAX_CHAINS = 10
"""Number of stuck chains that one answer lists, and of reasons."""
_NAMES = 8
"""Number of tasks named in a row."""


@dataclass
class Chains:
    """Open created tasks, and the tasks that they depend on, by thread."""

    tasks: dict[str, ChainTask]
    holds: Mapping[str, tuple[TaskHold, ...]]
    """Holds of each of them that has not started, by thread."""
    unread: int = 0
    """Number of documents that were not read."""

    @property
    def waiting(self) -> int:
        """Return the number of tasks that have not started."""
        return sum(task.status == "READY" or task.never_starts for task in self.tasks.values())

    def list_held(self, stuck_chains: Sequence[StuckChain]) -> tuple[HeldTasksData, ...]:
        """Return the tasks that wait and are not stuck, by the first reason of each."""
        stuck = {task.thread_id for chain in stuck_chains for task in (chain.cause, *chain.stuck)}
        tasks: dict[TaskHold, tuple[str, ...]] = {}
        for thread_id, holds in self.holds.items():
            if thread_id in self.tasks and thread_id not in stuck:
                tasks[holds[0].bare] = (*tasks.get(holds[0].bare, ()), self.tasks[thread_id].task)
        return tuple(
            HeldTasksData(reason=hold.reason, project=hold.project or None, tasks=names)
            for hold, names in tasks.items()
        )


def describe_all(chains: Chains, stuck_chains: tuple[StuckChain, ...]) -> CommandAnswer:
    """Say which of all created tasks are stuck, and what the others wait for."""
    data = _build_data(chains, stuck_chains, held_tasks=chains.list_held(stuck_chains))
    unread = f" {chains.unread:,} documents were not read." if chains.unread else ""
    rows = [_describe_chain(chain, chains) for chain in stuck_chains[:MAX_CHAINS]]
    if len(stuck_chains) > MAX_CHAINS:
        rows.append(f"… and {len(stuck_chains) - MAX_CHAINS:,} more.")
    rows += [_describe_held(group) for group in data.held[:MAX_CHAINS]]
    return CommandAnswer(line=f"{_count_stuck(stuck_chains, data)}{unread}", rows=tuple(rows), data=data)


def _count_stuck(stuck_chains: tuple[StuckChain, ...], data: ChainHealthData) -> str:
    """Count what is stuck, else what waits."""
    if not stuck_chains:
        verb = "waits" if data.waiting == 1 else "wait"
        wait = f"{count(data.waiting, 'task')} {verb} for others or for a start" if data.waiting else "none waits"
        return f"No task is stuck; {wait}."
    never = sum(chain.cause.never_starts for chain in stuck_chains)
    dependents = data.stuck - never
    causes = sum(bool(chain.stuck) for chain in stuck_chains)
    verb = "is" if dependents == 1 else "are"
    sentences = (
        [f"{count(dependents, 'task')} {verb} stuck, held by {count(causes, 'other task')}."] if dependents else []
    )
    sentences += [f"{count(never, 'task')} never start{'s' if never == 1 else ''}."] if never else []
    return " ".join(sentences)


def describe_one(
    thread: Thread, state: TaskState, chains: Chains, stuck_chains: tuple[StuckChain, ...]
) -> CommandAnswer:
    """Say what holds a task, and what it holds."""
    own = [chain for chain in stuck_chains if chain.cause.thread_id == thread.thread_id]
    holding = [chain for chain in stuck_chains if any(task.thread_id == thread.thread_id for task in chain.stuck)]
    by_thread = list_dependents(task for task in chains.tasks.values() if task.status == "READY")
    dependents = [chains.tasks[name].task for name in by_thread.get(thread.thread_id, ())]
    held_tasks = tuple(
        HeldTasksData(reason=hold.reason, project=hold.project or None, tasks=(thread.task,)) for hold in state.holds
    )
    data = _build_data(chains, stuck_chains, held_tasks=held_tasks, listed=(*own, *holding)).evolve(
        task=thread.task,
        task_status=state.status,
        waits_for=tuple(
            DependencyData(thread_id=each.thread_id, task=each.task or None, task_status=each.status)
            for each in state.blockers
        ),
        dependents=tuple(dependents),
    )
    is_listed = any(chain.stuck for chain in own)
    is_said = is_listed and own[0].cause.never_starts
    line = f"`{thread.task}` is {state.status}." if is_said else _describe_position(thread, state, holding)
    if dependents and not is_listed:
        names = _list_names([f"`{escape(name)}`" for name in dependents])
        line += f" {count(len(dependents), 'task')} depend{'s' * (len(dependents) == 1)} on it: {names}."
    elif not is_listed:
        line += " No task waits for it."
    rows = [_describe_chain(chain, chains) for chain in (*own, *holding)[:MAX_CHAINS] if chain.stuck]
    return CommandAnswer(line=line, rows=tuple(rows), data=data)


def _describe_position(thread: Thread, state: TaskState, holding: list[StuckChain]) -> str:
    """Name the status of a task, and what it waits for."""
    line = f"`{thread.task}` is {state.status}"
    others = [hold for hold in select_relevant(state.holds) if hold.reason != "dependencies"]
    besides = f" {escape(describe_holds(others, thread.task))}" if others else ""
    if holding:
        return f"{line} and stuck, held by {_list_names([_name(chain.cause) for chain in holding])}.{besides}"
    if stop := describe_stop(thread):
        return f"{line}: {stop}."
    if state.blockers and state.status == "BLOCKED" and not any(hold.is_final for hold in others):
        blockers = [f"`{escape(each.task)}` ({each.status})" for each in state.blockers]
        return f"{line}, but not stuck: it waits for {_list_names(blockers)}.{besides}"
    return f"{line}.{besides}"


def _describe_chain(chain: StuckChain, chains: Chains) -> str:
    """Name the cause of a chain, the tasks that it holds, and the commands that free them."""
    cause, names = chain.cause, [f"`{escape(task.task)}`" for task in chain.stuck]
    holds = f"{count(len(names), 'task')}: {_list_names(names)}"
    if not cause.task:
        return f"A task whose document is gone (`{cause.thread_id}`) holds {holds}. `skip_task` closes each of these."
    frees = f"`skip_task {cause.task}` frees {'it' if len(names) == 1 else 'them'}."
    if cause.never_starts:
        own = chains.holds[cause.thread_id]
        steps = f"{suggest_step(select_relevant(own)[0], cause.task)}."
        never = f"{_name(cause)} {escape(describe_wait(own))}"
        return f"{never}; it holds {holds}. {frees} {steps}" if names else f"{never}. {steps}"
    stopped = f", stopped by <@{cause.stopped_by}>," if cause.stopped_by else ""
    since = f" since {moment(cause.since)}" if cause.since else ""
    restart = f"`restart_task {cause.task}` starts it again, " if cause.can_restart else ""
    return f"{_name(cause)} is {cause.status}{since}{stopped} and holds {holds}. {restart}{frees}"


def _describe_held(group: HeldTasksData) -> str:
    """Say why tasks wait that are not stuck, and what ends that."""
    hold = TaskHold(reason=group.reason, project=group.project or "")
    names = _list_names([f"`{escape(name)}`" for name in group.tasks])
    is_one = len(group.tasks) == 1
    verb = "does not start yet" if is_one else "do not start yet"
    step = suggest_step(hold, "")
    return f"{names} {verb}: {escape(describe_reason(hold, is_one=is_one))}.{f' {step}.' if step else ''}"


def _name(task: ChainTask) -> str:
    return f"`{escape(task.task or task.thread_id)}`"


def _list_names(names: list[str]) -> str:
    return f"{', '.join(names[:_NAMES])}{f' and {len(names) - _NAMES:,} more' if len(names) > _NAMES else ''}"


def _build_data(
    chains: Chains,
    stuck_chains: tuple[StuckChain, ...],
    *,
    held_tasks: tuple[HeldTasksData, ...],
    listed: tuple[StuckChain, ...] | None = None,
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
            stopped_by=chain.cause.stopped_by,
            never_starts=chain.cause.never_starts,
            stuck=tuple(task.task for task in chain.stuck),
        )
        for chain in chain_list[:MAX_CHAINS]
    )
    stuck = {task.thread_id for chain in stuck_chains for task in chain.stuck}
    never = {chain.cause.thread_id for chain in stuck_chains if chain.cause.never_starts}
    return ChainHealthData(
        task=None,
        task_status=None,
        waits_for=(),
        dependents=(),
        waiting=chains.waiting,
        stuck=len(stuck | never),
        held=held_tasks,
        chains=data,
        omitted=len(chain_list) - len(data) + chains.unread,
    )
