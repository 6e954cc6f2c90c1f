"""List of tasks: `list_tasks`, by status, ending, task status, project and channel."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from blocks.text import escape
from bot.commands.answer_room import fit_rows
from bot.commands.answers import format_row
from bot.commands.command import CommandAnswer, NotDone
from bot.commands.inputs_work import DEFAULT_LISTED, ListTasks
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
    from bot.triage.task_states import TaskStates

MAX_DOCUMENTS = 300
"""Number of documents read for a list whose filter needs them, the newest ones."""
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
_KNOWN_BY_ID = ("all", "open", *get_args(Status))
"""Filters that need no document: the statuses of open threads are in memory."""


@dataclass(frozen=True, kw_only=True)
class _Matches:
    """Tasks that match a filter: those to list, the number of all, and the number of those that were not read."""

    listed: tuple[Thread, ...]
    total: int
    unread: int = 0


@dataclass(frozen=True, kw_only=True)
class TaskLists:
    """Command that lists tasks. `url` is the workspace's address."""

    overview: ProjectOverview
    states: TaskStates
    url: str
    redactor: Redactor = field(default_factory=Redactor)

    @command(
        "list_tasks",
        "lists tasks, open ones first, or those of a status, project or channel",
        input=ListTasks,
        role="operator",
        tier="read",
        also=("list_threads",),
        untrusted="people",
        result=TasksData,
    )
    async def list_tasks(self, request: ListTasks, asker: Asker) -> CommandAnswer:
        """List open tasks first, then the others, each the newest first."""
        project = self.overview.find_project(request.project) if request.project else None
        channel = self.overview.resolve_channel(request.channel, asker) if request.channel else None
        matches = await self._find(request, project, await self._list_ids(request.status, channel))
        which = _describe_filter(request.status, project, channel, matches.total)
        if request.first > max(matches.total, 1):
            raise NotDone(f"There is no task {request.first:,}: {which}.")
        tasks = [
            (await run_offloaded(redact_question, thread, self.redactor), await self.states.find_state(thread))
            for thread in matches.listed
        ]
        rows = fit_rows([format_row(thread, self.url, state) for thread, state in tasks], asker)
        last = request.first + len(rows) - 1
        order = "" if matches.total < 2 else ", open ones first" if request.status == "all" else ", the newest first"
        part = f": {request.first:,} to {last:,}" if len(rows) < matches.total else ""
        unread = f"; {matches.unread:,} older ones were not read, a channel narrows the list" if matches.unread else ""
        data = TasksData(
            total=matches.total,
            tasks=tuple(build_listed(thread, self.url, state) for thread, state in tasks),
            omitted=matches.total - len(tasks) + matches.unread,
        )
        if last < matches.total:
            place = self.overview.channel_names.get(channel or "", channel)
            rows.append(f"There are more: `{_format_call(request, project, place, last + 1)}`")
        return CommandAnswer(line=f"{which}{order}{part}{unread}.", rows=tuple(rows), data=data)

    async def _list_ids(self, status: str, channel: str | None) -> list[str]:
        """Return the threads that may have this status, in order."""
        orchestrator = self.overview.orchestrator
        open_threads = orchestrator.open_threads
        still_open, rest = list[str](), set[str]()
        if status in ("all", "open"):
            still_open = open_threads.ids()
        elif statuses := _OPEN_STATUSES.get(status):
            still_open = open_threads.with_status(*statuses)
        if status in _WITH_CLOSED:
            rest = {*await orchestrator.store.thread_ids()}.difference(open_threads.ids())
        ids = await asyncio.to_thread(lambda: [*_sort(still_open), *_sort(rest)])
        return [each for each in ids if channel in (None, each.split("-")[1])]

    async def _find(self, request: ListTasks, project: str | None, ids: list[str]) -> _Matches:
        """Find the tasks that match, among a limited number of documents if it takes them."""
        page = slice(request.first - 1, request.first - 1 + request.limit)
        if project is None and request.status in _KNOWN_BY_ID:
            listed = [thread for each in ids[page] if (thread := await self._read(each))]
            return _Matches(listed=tuple(listed), total=len(ids))
        matches = [
            thread
            for each in ids[:MAX_DOCUMENTS]
            if (thread := await self._read(each)) and await self._matches(thread, request.status, project)
        ]
        return _Matches(listed=tuple(matches[page]), total=len(matches), unread=max(0, len(ids) - MAX_DOCUMENTS))

    async def _matches(self, thread: Thread, status: str, project: str | None) -> bool:
        if project not in (None, assigned_project(thread)) or not _matches_thread(thread, status):
            return False
        return status not in (*TASK_STATUSES,) or (await self.states.find_state(thread)).status == status

    async def _read(self, name: str) -> Thread | None:
        try:
            return await self.overview.orchestrator.store.load(name)
        except TriageError:
            return None  # its next event rebuilds it


def _describe_filter(status: str, project: str | None, channel: str | None, number: int) -> str:
    which = f" of `{project}`" if project else ""
    which += f" in <#{channel}>" if channel else ""
    return f"{count(number, 'task' if status == 'all' else f'{status} task')}{which}"


def _format_call(request: ListTasks, project: str | None, channel: str | None, first: int) -> str:
    """Format the call that lists what follows."""
    words = [] if request.status == "all" else [f"status={request.status}"]
    words += [f"{name}={value}" for name, value in (("project", project), ("channel", channel)) if value]
    words += [f"first={first}"] + ([] if request.limit == DEFAULT_LISTED else [f"limit={request.limit}"])
    return escape(" ".join(("list_tasks", *words))).replace("`", "'")


def _sort(ids: Iterable[str]) -> list[str]:
    return sorted(ids, key=lambda each: float(each.rpartition("-")[2]), reverse=True)


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
