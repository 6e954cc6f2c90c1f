"""Commands on tasks (the work of threads), recent events and usage."""

from __future__ import annotations

from bot.commands import inputs_work
from bot.commands.command import READ, REVERSIBLE, CommandSpec

SPECS = (
    CommandSpec(
        name="thread",
        summary="shows a task's progress: the question of a thread, by its link or by the task's name",
        input=inputs_work.OfTask,
        role="operator",
        tier=READ,
        also=("get_task",),
        untrusted="people",
    ),
    CommandSpec(
        name="list_tasks",
        summary="lists tasks, open ones first: all, open, failed, or of a status or ending; of a project, in a channel",
        input=inputs_work.ListTasks,
        role="operator",
        tier=READ,
        also=("list_threads",),
        untrusted="people",
    ),
    CommandSpec(
        name="get_task_result",
        summary="shows a task's result: summary, draft or reply, references, error, tokens and cost",
        input=inputs_work.OfTask,
        role="operator",
        tier=READ,
        untrusted="code",
    ),
    CommandSpec(
        name="get_agent_error",
        summary="explains why a task's last run ended without findings, with advice",
        input=inputs_work.OfTask,
        role="operator",
        tier=READ,
        untrusted="people",
    ),
    CommandSpec(
        name="stop_task",
        summary="ends the run of a task; its question then waits for its operator, whose card says who stopped it",
        deed="the run of a task was ended",
        input=inputs_work.OfTask,
        role="operator",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="restart_task",
        summary="investigates a question again that was stopped, failed, dismissed or settled, or has expired",
        deed="a task was restarted",
        input=inputs_work.OfTask,
        role="operator",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="set_task_status",
        summary="dismisses a task; no other status can be set by a command",
        deed="a task was dismissed",
        input=inputs_work.SetTaskStatus,
        role="operator",
        tier=REVERSIBLE,
    ),
    CommandSpec(
        name="get_recent_events",
        summary="lists questions, decisions, replies and failed runs of the last hours (24), the newest first",
        input=inputs_work.HoursInput,
        role="operator",
        tier=READ,
        untrusted="people",
    ),
    CommandSpec(
        name="get_token_usage",
        summary="counts runs, tokens and cost of the agents by day, project, agent or task, over the last days (7)",
        input=inputs_work.TokenUsage,
        role="operator",
        tier=READ,
        untrusted="people",
    ),
)
