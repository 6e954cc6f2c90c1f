"""Views of one task: `thread` (`get_task`), `get_task_result`, `get_agent_error`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING

from blocks.text import escape
from bot.commands.answers import describe_progress, list_details, list_result
from bot.commands.command import CommandAnswer
from bot.commands.inputs_work import OfTask
from bot.commands.registry import command
from bot.commands.task_data import build_details, build_result, build_run
from bot.commands.task_errors import describe_error, suggest_fix
from bot.decide.hold_words import describe_holds
from bot.decide.redaction.redactor import Redactor
from bot.decide.task_errors import find_error
from bot.models.command_data.tasks import TaskDetailsData, TaskErrorData, TaskResultData
from bot.models.plain_lines import to_plain_text
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import redact_thread

if TYPE_CHECKING:
    from bot.commands.search import TaskFinder
    from bot.commands.sessions import SessionCommands
    from bot.models.interaction import Asker
    from bot.models.thread import Thread
    from bot.triage.task_states import TaskStates


@dataclass(frozen=True, kw_only=True)
class TaskViews:
    """Commands that show one task. `url` is the workspace's address."""

    finder: TaskFinder
    states: TaskStates
    sessions: SessionCommands
    url: str
    redactor: Redactor = field(default_factory=Redactor)

    @command(
        "thread",
        "shows a task's progress and its question",
        input=OfTask,
        role="operator",
        tier="read",
        also=("get_task",),
        untrusted="people",
        result=TaskDetailsData,
    )
    async def get(self, request: OfTask, asker: Asker) -> CommandAnswer:
        """Show one task in full."""
        thread = await self.finder.find(request.task, asker, may_be_last=True)
        safe_thread = await self._redact_thread_offloaded(thread)
        state = await self.states.find_state(thread)
        rows = list_details(safe_thread, self.url, state, reader=asker.user_id)
        if chain := await self.sessions.describe_thread(thread.thread_id):
            rows.append(f"{chain} `chain {thread.task}` shows each.")
        data = build_details(safe_thread, self.url, state)
        return CommandAnswer(line=describe_progress(thread), rows=tuple(rows), data=data)

    @command(
        "get_task_result",
        "shows a task's result: summary, draft or reply, references, error and cost",
        input=OfTask,
        role="operator",
        tier="read",
        untrusted="code",
        result=TaskResultData,
    )
    async def result(self, request: OfTask, asker: Asker) -> CommandAnswer:
        """Show a task's result."""
        thread = await self.finder.find(request.task, asker, may_be_last=True)
        safe_thread = await self._redact_thread_offloaded(thread)
        hold = escape(describe_holds((await self.states.find_state(thread)).holds, thread.task))
        return CommandAnswer(
            line=" ".join(filter(None, (f"`{thread.task}`. {describe_progress(thread)}", hold))),
            rows=tuple(list_result(safe_thread, self.url)),
            data=build_result(safe_thread, self.url),
        )

    @command(
        "get_agent_error",
        "explains the last error of a task: kind, reason, suggested fix",
        input=OfTask,
        role="operator",
        tier="read",
        untrusted="people",
        result=TaskErrorData,
    )
    async def error(self, request: OfTask, asker: Asker) -> CommandAnswer:
        """Show a task's last error, with the suggested fix."""
        thread = await self.finder.find(request.task, asker, may_be_last=True)
        safe_thread = await self._redact_thread_offloaded(thread)
        error = find_error(safe_thread)
        if error is None:
            data = TaskErrorData(task=thread.task, kind=None, error=None, fix=None, run=None)
            return CommandAnswer(line=f"`{thread.task}`: nothing has gone wrong.", data=data)
        message, rows = describe_error(error, safe_thread)
        data = TaskErrorData(
            task=thread.task,
            kind=error.kind,
            error=error.reason or None,
            fix=to_plain_text(suggest_fix(error), UTC),
            run=build_run(error.run) if error.run else None,
        )
        return CommandAnswer(line=f"`{thread.task}`: {message}", rows=tuple(rows), data=data)

    async def _redact_thread_offloaded(self, thread: Thread) -> Thread:
        return await run_offloaded(redact_thread, thread, self.redactor)
