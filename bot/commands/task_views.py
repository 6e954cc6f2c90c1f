"""Views of tasks: one by one (`thread`, `get_task_result`, `get_agent_error`) and as a list (`list_tasks`)."""

from __future__ import annotations

import asyncio
import heapq
from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING, get_args

from bot.commands.answers import (
    describe_failure,
    describe_progress,
    find_failed_run,
    format_row,
    list_details,
    list_result,
)
from bot.commands.command import CommandAnswer
from bot.commands.inputs_work import ListTasks, OfTask
from bot.commands.registry import command
from bot.commands.state import count
from bot.commands.task_data import build_details, build_result, build_run, build_task
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError
from bot.models.command_data.tasks import TaskDetailsData, TaskErrorData, TaskResultData, TasksData
from bot.models.plain_lines import to_plain_text
from bot.models.status import Outcome, Status
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import redact_question, redact_thread
from bot.triage.projects import assigned_project

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.commands.projects import ProjectOverview
    from bot.commands.search import TaskFinder
    from bot.commands.sessions import SessionCommands
    from bot.models.interaction import Asker
    from bot.models.thread import Thread

MAX_LISTED = 10
"""Number of tasks that one list shows: their rows fit one answer."""
MAX_DOCUMENTS = 150
"""Number of documents read for a list, the newest ones."""


@dataclass(frozen=True, kw_only=True)
class TaskViews:
    """Commands that show tasks. `url` is the workspace's address."""

    overview: ProjectOverview
    finder: TaskFinder
    sessions: SessionCommands
    url: str
    redactor: Redactor = field(default_factory=Redactor)

    @command(
        "thread",
        "shows a task's progress: the question of a thread, by its link or by the task's name",
        input=OfTask,
        role="operator",
        tier="read",
        also=("get_task",),
        untrusted="people",
        result=TaskDetailsData,
    )
    async def get(self, request: OfTask, asker: Asker) -> CommandAnswer:
        """Show one task in full."""
        thread = await self.finder.find(request.task, asker)
        safe_thread = await self._redact_thread_offloaded(thread)
        rows = list_details(safe_thread, self.url, reader=asker.user_id)
        if chain := await self.sessions.describe_thread(thread.thread_id):
            rows.append(f"{chain} `chain {thread.task}` shows each.")
        data = build_details(safe_thread, self.url)
        return CommandAnswer(line=describe_progress(thread), rows=tuple(rows), data=data)

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
        tasks: list[Thread] = []
        looked_at = 0
        while looked_at < len(names) and len(tasks) < MAX_LISTED:
            thread = await self._read(names[looked_at])
            looked_at += 1
            if thread is None or not _matches_status(thread, request.status):
                continue
            if project in (None, assigned_project(thread)) and channel in (None, thread.chat_id):
                tasks.append(await run_offloaded(redact_question, thread, self.redactor))
        noun = "task" if request.status == "all" else f"{request.status} task"
        which = f" of `{project}`" if project else ""
        which += f" in <#{channel}>" if channel else ""
        left = total - looked_at
        rest = f"; {left:,} more are not shown; a status, project or channel narrows the list" if left else ""
        order = ", open ones first" if request.status == "all" else ", the newest first"
        line = f"{count(len(tasks), noun)}{which}{order if len(tasks) > 1 else ''}{rest}."
        data = TasksData(tasks=tuple(build_task(thread, self.url) for thread in tasks), omitted=left)
        return CommandAnswer(line=line, rows=tuple(format_row(thread, self.url) for thread in tasks), data=data)

    @command(
        "get_task_result",
        "shows a task's result: summary, draft or reply, references, error, tokens and cost",
        input=OfTask,
        role="operator",
        tier="read",
        untrusted="code",
        result=TaskResultData,
    )
    async def result(self, request: OfTask, asker: Asker) -> CommandAnswer:
        """Show a task's result."""
        thread = await self.finder.find(request.task, asker)
        safe_thread = await self._redact_thread_offloaded(thread)
        return CommandAnswer(
            line=f"`{thread.task}`. {describe_progress(thread)}",
            rows=tuple(list_result(safe_thread, self.url)),
            data=build_result(safe_thread, self.url),
        )

    @command(
        "get_agent_error",
        "explains why a task's last run ended without findings, with advice",
        input=OfTask,
        role="operator",
        tier="read",
        untrusted="people",
        result=TaskErrorData,
    )
    async def error(self, request: OfTask, asker: Asker) -> CommandAnswer:
        """Show a task's last error, with advice."""
        thread = await self.finder.find(request.task, asker)
        safe_thread = await self._redact_thread_offloaded(thread)
        message, rows = describe_failure(safe_thread)
        run = find_failed_run(safe_thread)
        data = TaskErrorData(
            task=thread.task,
            error=to_plain_text(message, UTC) or None,
            run=build_run(run) if run else None,
        )
        line = f"`{thread.task}`: {message or 'nothing has gone wrong.'}"
        return CommandAnswer(line=line, rows=tuple(rows), data=data)

    async def _names(self, status: str) -> tuple[int, list[str]]:
        """Return the number of threads that may have this status, and the names of those to read, in order: the status
        of open ones is in memory, of others only in their documents."""
        orchestrator = self.overview.orchestrator
        open_threads = orchestrator.open_threads
        still_open, rest = list[str](), set[str]()
        if status in ("all", "open"):
            still_open = open_threads.ids()
        elif status == "failed":
            still_open = open_threads.with_status("pending-user")
        elif named := next(
            (status_name for status_name in get_args(Status) if status_name == status != "closed"), None
        ):
            still_open = open_threads.with_status(named)
        if status in ("all", "closed", *get_args(Outcome)):
            rest = {*await orchestrator.store.thread_ids()}.difference(open_threads.ids())
        newest = await asyncio.to_thread(lambda: [*_newest_documents(still_open), *_newest_documents(rest)])
        return len(still_open) + len(rest), newest[:MAX_DOCUMENTS]

    async def _read(self, name: str) -> Thread | None:
        try:
            return await self.overview.orchestrator.store.load(name)
        except TriageError:
            return None  # its next event rebuilds it

    async def _redact_thread_offloaded(self, thread: Thread) -> Thread:
        return await run_offloaded(redact_thread, thread, self.redactor)


def _newest_documents(names: Iterable[str]) -> list[str]:
    return heapq.nlargest(MAX_DOCUMENTS, names, key=lambda name: float(name.rpartition("-")[2]))


def _matches_status(thread: Thread, status: str) -> bool:
    match status:
        case "all":
            return True
        case "open":
            return thread.is_open
        case "failed":
            return thread.status == "pending-user" and bool(thread.failure)
        case _:
            return status in (thread.status, thread.outcome)
