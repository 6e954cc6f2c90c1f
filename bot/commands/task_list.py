"""Views of tasks: one by one (`thread`, `get_task_result`, `get_agent_error`) and as a list (`list_tasks`)."""

from __future__ import annotations

import asyncio
import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from bot.commands.answers import details, failure, listed, result, sentence
from bot.commands.command import CommandAnswer
from bot.commands.counts import count
from bot.commands.inputs_work import ListTasks, OfTask
from bot.commands.projects import goes_to
from bot.commands.registry import command
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError
from bot.models.status import Outcome, Status
from bot.models.task import folder
from bot.runtime.offload import beside
from bot.surfaces.draft_payload import as_shown, with_safe_question

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.commands.projects import ProjectOverview
    from bot.commands.search import TaskFinder
    from bot.models.interaction import Asker
    from bot.models.thread import Thread

SHOWN = 10
"""Number of tasks that one list shows: their rows fit one answer."""
LOOKED_AT = 150
"""Number of documents read for a list, the newest ones."""


@dataclass(frozen=True, kw_only=True)
class TaskViews:
    """Commands that show tasks. `url` is the workspace's address."""

    overview: ProjectOverview
    finder: TaskFinder
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
    )
    async def get(self, asked: OfTask, asker: Asker) -> CommandAnswer:
        """Show one task in full."""
        found = await self.finder.find(asked.task, asker)
        shown = await self._safe(found)
        return CommandAnswer(line=sentence(found), rows=tuple(details(shown, self.url, reader=asker.user_id)))

    @command(
        "list_tasks",
        "lists tasks, open ones first: all, open, failed, or of a status or ending; of a project, in a channel",
        input=ListTasks,
        role="operator",
        tier="read",
        also=("list_threads",),
        untrusted="people",
    )
    async def list_tasks(self, asked: ListTasks, asker: Asker) -> CommandAnswer:
        """List open tasks first, then the others, each the newest first; a limited number of documents is read."""
        project = self.overview.named(asked.project) if asked.project else None
        channel = self.overview.channel(asked.channel, asker) if asked.channel else None
        known, names = await self._names(asked.status)
        rows: list[str] = []
        looked_at = 0
        while looked_at < len(names) and len(rows) < SHOWN:
            thread = await self._read(names[looked_at])
            looked_at += 1
            if thread is None or not _has(thread, asked.status):
                continue
            if project in (None, goes_to(thread)) and channel in (None, thread.chat_id):
                rows.append(listed(await beside(with_safe_question, thread, self.redactor), self.url))
        which = "" if asked.status == "all" else f" {asked.status}"
        which += f" of `{project}`" if project else ""
        which += f" in <#{channel}>" if channel else ""
        left = known - looked_at
        rest = f"; {left:,} more were not read; a status, project or channel narrows the list" if left else ""
        order = "open ones first" if asked.status == "all" else "the newest first"
        return CommandAnswer(line=f"{count(len(rows), 'task')}{which}, {order}{rest}.", rows=tuple(rows))

    @command(
        "get_task_result",
        "shows a task's result: summary, draft or reply, references, error, tokens and cost",
        input=OfTask,
        role="operator",
        tier="read",
        untrusted="code",
    )
    async def result(self, asked: OfTask, asker: Asker) -> CommandAnswer:
        """Show a task's result."""
        found = await self.finder.find(asked.task, asker)
        return CommandAnswer(
            line=f"`{folder(found)}`. {sentence(found)}", rows=tuple(result(await self._safe(found), self.url))
        )

    @command(
        "get_agent_error",
        "explains why a task's last run ended without findings, with advice",
        input=OfTask,
        role="operator",
        tier="read",
        untrusted="people",
    )
    async def error(self, asked: OfTask, asker: Asker) -> CommandAnswer:
        """Show a task's last error, with advice."""
        found = await self.finder.find(asked.task, asker)
        said, rows = failure(await self._safe(found))
        return CommandAnswer(line=f"`{folder(found)}`: {said or 'nothing has gone wrong.'}", rows=tuple(rows))

    async def _names(self, status: str) -> tuple[int, list[str]]:
        """Return the number of threads that may have this status, and the names of those to read, in order: the status
        of open ones is in memory, of others only in their documents."""
        orchestrator = self.overview.orchestrator
        known = orchestrator.open_threads
        still_open, rest = list[str](), set[str]()
        if status in ("all", "open"):
            still_open = known.ids()
        elif status == "failed":
            still_open = known.with_status("pending-user")
        elif named := next((one for one in get_args(Status) if one == status != "closed"), None):
            still_open = known.with_status(named)
        if status in ("all", "closed", *get_args(Outcome)):
            rest = {*await orchestrator.store.thread_ids()}.difference(known.ids())
        newest = await asyncio.to_thread(lambda: [*_newest(still_open), *_newest(rest)])
        return len(still_open) + len(rest), newest[:LOOKED_AT]

    async def _read(self, name: str) -> Thread | None:
        try:
            return await self.overview.orchestrator.store.load(name)
        except TriageError:
            return None  # its next event rebuilds it

    async def _safe(self, thread: Thread) -> Thread:
        return await beside(as_shown, thread, self.redactor)


def _newest(names: Iterable[str]) -> list[str]:
    return heapq.nlargest(LOOKED_AT, names, key=lambda name: float(name.rpartition("-")[2]))


def _has(thread: Thread, status: str) -> bool:
    match status:
        case "all":
            return True
        case "open":
            return thread.is_open
        case "failed":
            return thread.status == "pending-user" and bool(thread.failure)
        case _:
            return status in (thread.status, thread.outcome)
