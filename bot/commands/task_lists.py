"""List of tasks: `list_tasks`, by status, ending, task status, project and channel."""

from __future__ import annotations

import asyncio
import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from bot.commands.answers import format_row
from bot.commands.command import CommandAnswer
from bot.commands.inputs_work import ListTasks
from bot.commands.registry import command
from bot.commands.state import count
from bot.commands.task_data import build_listed
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError
from bot.models.command_data.tasks import TasksData
from bot.models.status import WORKED_ON, Outcome, Status
from bot.models.task_status import TASK_STATUSES
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import redact_question
from bot.triage.projects import assigned_project

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.commands.projects import ProjectOverview
    from bot.models.interaction import Asker
    from bot.models.thread import Thread
    from bot.triage.task_states import TaskState, TaskStates

MAX_LISTED = 10
"""Number of tasks that one list shows: their rows fit one answer."""
MAX_DOCUMENTS = 150
"""Number of documents read for a list, the newest ones."""
_OPEN_STATUSES: dict[str, tuple[Status, ...]] = {
    "failed": ("pending-user",),
    "READY": ("collecting",),
    "BLOCKED": ("collecting", "pending-user"),
    "IN_PROGRESS": (*WORKED_ON, "approved"),
    "AWAITING_APPROVAL": ("pending-user", "in-doubt"),
    "FAILED": ("pending-user",),
    **{status: (status,) for status in get_args(Status) if status != "closed"},
}
"""Statuses of open threads that a filter may match, besides `all` and `open`."""
_WITH_CLOSED = ("all", "closed", "COMPLETED", "FAILED", *get_args(Outcome))
"""Filters that match closed threads."""


@dataclass(frozen=True, kw_only=True)
class TaskLists:
    """Command that lists tasks. `url` is the workspace's address."""

    overview: ProjectOverview
    states: TaskStates
    url: str
    redactor: Redactor = field(default_factory=Redactor)

    @command(
        "list_tasks",
        "lists tasks, open ones first: all, open, failed, or of a status or ending; of a project, in a channel",
        input=ListTasks,
        role="operator",
        tier="read",
        also=("list_threads",),
        untrusted="people",
        result=TasksData,
    )
    async def list_tasks(self, request: ListTasks, asker: Asker) -> CommandAnswer:
        """List open tasks first, then the others, each the newest first; a limited number of documents is read."""
        project = self.overview.find_project(request.project) if request.project else None
        channel = self.overview.resolve_channel(request.channel, asker) if request.channel else None
        total, names = await self._names(request.status)
        tasks: list[tuple[Thread, TaskState]] = []
        looked_at = 0
        while looked_at < len(names) and len(tasks) < MAX_LISTED:
            thread = await self._read(names[looked_at])
            looked_at += 1
            if thread is None or project not in (None, assigned_project(thread)):
                continue
            if channel not in (None, thread.chat_id) or not _matches_thread(thread, request.status):
                continue
            state = await self.states.find_state(thread)
            if request.status in (*TASK_STATUSES,) and state.status != request.status:
                continue
            tasks.append((await run_offloaded(redact_question, thread, self.redactor), state))
        line = _describe_list(request.status, project, channel, number=len(tasks), left=total - looked_at)
        data = TasksData(
            tasks=tuple(build_listed(thread, self.url, state) for thread, state in tasks), omitted=total - looked_at
        )
        return CommandAnswer(
            line=line, rows=tuple(format_row(thread, self.url, state) for thread, state in tasks), data=data
        )

    async def _names(self, status: str) -> tuple[int, list[str]]:
        """Return the number of threads that may have this status, and the names of those to read, in order: the status
        of open ones is in memory, of others only in their documents."""
        orchestrator = self.overview.orchestrator
        open_threads = orchestrator.open_threads
        still_open, rest = list[str](), set[str]()
        if status in ("all", "open"):
            still_open = open_threads.ids()
        elif statuses := _OPEN_STATUSES.get(status):
            still_open = open_threads.with_status(*statuses)
        if status in _WITH_CLOSED:
            rest = {*await orchestrator.store.thread_ids()}.difference(open_threads.ids())
        newest = await asyncio.to_thread(lambda: [*_newest_documents(still_open), *_newest_documents(rest)])
        return len(still_open) + len(rest), newest[:MAX_DOCUMENTS]

    async def _read(self, name: str) -> Thread | None:
        try:
            return await self.overview.orchestrator.store.load(name)
        except TriageError:
            return None  # its next event rebuilds it


def _describe_list(status: str, project: str | None, channel: str | None, *, number: int, left: int) -> str:
    noun = "task" if status == "all" else f"{status} task"
    which = f" of `{project}`" if project else ""
    which += f" in <#{channel}>" if channel else ""
    rest = f"; {left:,} more are not shown; a status, project or channel narrows the list" if left else ""
    order = ", open ones first" if status == "all" else ", the newest first"
    return f"{count(number, noun)}{which}{order if number > 1 else ''}{rest}."


def _newest_documents(names: Iterable[str]) -> list[str]:
    return heapq.nlargest(MAX_DOCUMENTS, names, key=lambda name: float(name.rpartition("-")[2]))


def _matches_thread(thread: Thread, status: str) -> bool:
    """Return whether a thread matches a filter, as far as its task status does not matter."""
    match status:
        case "all":
            return True
        case "open":
            return thread.is_open
        case "failed":
            return thread.status == "pending-user" and bool(thread.failure)
        case _:
            return status in (thread.status, thread.outcome, *TASK_STATUSES)
