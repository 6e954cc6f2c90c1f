"""Data of tasks, from their documents; texts are those of the document, which the caller has redacted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.question import own_words
from blocks.queue import message_link, question_link
from blocks.text import clip
from bot.commands.answers import find_result_before, list_files
from bot.models.command_data.cost import CostData
from bot.models.command_data.tasks import (
    DecisionData,
    DependencyData,
    ListedTaskData,
    OrderData,
    ReferenceData,
    RunData,
    TaskData,
    TaskDetailsData,
    TaskResultData,
    WaitingTaskData,
)
from bot.models.cost import sum_figures
from bot.models.queue_order import waits_since
from bot.models.task_status import find_stopper

if TYPE_CHECKING:
    from bot.models.task import Dispatch
    from bot.models.thread import Thread
    from bot.triage.task_states import TaskState

_QUESTION = 300
"""Characters of a question in short form."""


def build_listed(thread: Thread, url: str, state: TaskState) -> ListedTaskData:
    """Build a task with its status and its order."""
    return ListedTaskData(**_fields(thread, url), **_state_fields(thread, state))


def build_task(thread: Thread, url: str) -> TaskData:
    """Build a task in short form; `url` is the workspace's address."""
    return TaskData(**_fields(thread, url))


def build_waiting(thread: Thread, url: str) -> WaitingTaskData:
    """Build a question that waits for a decision."""
    return WaitingTaskData(**_fields(thread, url), waits_since=waits_since(thread))


def build_details(thread: Thread, url: str, state: TaskState) -> TaskDetailsData:
    """Build a task in full."""
    verdict, decision = thread.verdict, thread.decision
    return TaskDetailsData(
        **_fields(thread, url),
        **_state_fields(thread, state),
        asked_at=thread.asked_at,
        round=thread.investigator_round,
        engine=thread.engine,
        verdict=verdict.verdict if verdict else None,
        verdict_reasons=verdict.reasons if verdict else (),
        stale=thread.stale,
        fallback=thread.fallback,
        decision=DecisionData(action=decision.action, by=decision.by, at=decision.at) if decision else None,
        runs=tuple(map(build_run, thread.dispatches)),
    )


def build_run(dispatch: Dispatch) -> RunData:
    """Build a run of a role."""
    return RunData(
        run_id=dispatch.run_id,
        role=dispatch.role,
        model=dispatch.model,
        started_at=dispatch.started_at,
        status=dispatch.status,
        journal=dispatch.journal_file,
    )


def build_result(thread: Thread, url: str) -> TaskResultData:
    """Build a task's result."""
    findings, draft, posted = thread.investigator_return, thread.draft_pending, thread.posted_message_id
    checked = {check.ref: check.result for check in thread.evidence_checks}
    return TaskResultData(
        task=thread.task,
        status=thread.status,
        outcome=thread.outcome,
        summary=findings.summary_for_orchestrator if findings else None,
        confidence=findings.confidence if findings else None,
        draft=draft.text if draft else None,
        edited_by=draft.edited_by if draft else None,
        reply=message_link(url, thread.chat_id, posted) if posted else None,
        references=tuple(
            ReferenceData(reference=each.ref, result=checked.get(each.ref), claim=each.supports_claim)
            for each in thread.references
        ),
        files=list_files(thread),
        result_before=find_result_before(thread),
        errors=tuple(error for error in (thread.failure, thread.note_problem) if error),
        runs=len(thread.runs),
        tokens=sum(run.tokens for run in thread.runs),
        cost=CostData.of(sum_figures(thread.runs)),
    )


def _state_fields(thread: Thread, state: TaskState) -> dict[str, Any]:
    order = thread.order
    fields: dict[str, Any] = {
        "task_status": state.status,
        "stopped_by": find_stopper(thread),
        "holds": tuple(hold.reason for hold in state.holds),
    }
    if order is None:
        return {**fields, "order": None}
    dependencies = tuple(
        DependencyData(thread_id=each.thread_id, task=each.task or None, task_status=each.status)
        for each in state.dependencies
    )
    data = OrderData(
        title=order.title,
        priority=order.priority,
        depends_on=dependencies,
        created_by=order.created_by,
        created_at=order.created_at,
        agent=order.agent,
    )
    return {**fields, "order": data}


def _fields(thread: Thread, url: str) -> dict[str, Any]:
    named = thread.route.project if thread.route else None
    return {
        "task": thread.task,
        "thread_id": thread.thread_id,
        "status": thread.status,
        "outcome": thread.outcome,
        "since": thread.status_history[-1].at,
        "channel": thread.chat_id,
        "asker": thread.original_sender_id,
        "operator": thread.operator,
        "project": thread.project or named,
        "question": clip(own_words(thread), _QUESTION),
        "failure": thread.failure,
        "link": question_link(thread, url),
    }
