"""Dispatches: the record of each run of a role, from its beginning to its end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.models.external import KEPT_BACK
from bot.models.repeated_question import ANSWERED_BEFORE
from bot.models.task import COMPLETED, RUNNING, Dispatch, aborted
from bot.models.thread_event import EvidenceFailed, Findings, RunFailed, Stop, Validated

if TYPE_CHECKING:
    from bot.decide.workflow.steps import Transition, WorkflowLimits
    from bot.models.thread import Thread
    from bot.models.thread_event import ThreadEvent

INVESTIGATOR = "investigator"
"""Role of a question without a route."""


def update_dispatches(before: Thread, step: Transition, event: ThreadEvent, limits: WorkflowLimits) -> Transition:
    """Return the step with the updated dispatches."""
    after = step.thread
    assert after is not None  # noqa: S101  # the step was accepted; narrows the type
    dispatches = before.dispatches
    if isinstance(event, Findings):
        dispatches = _record_report(dispatches, event)
    is_tier_over = isinstance(event, RunFailed | Stop) and before.status == "escalated"
    if before.run_id and (is_tier_over or after.run_id != before.run_id):
        status = _status(after, event)
        dispatches = tuple(
            dispatch.evolve(status=status) if dispatch.status == RUNNING else dispatch for dispatch in dispatches
        )
    is_search = after.status != "awaiting-validation"  # a check alone is no run of a role
    if after.run_id and after.run_id != before.run_id and is_search:
        dispatches = (*dispatches, _start_dispatch(after, after.run_id, event, limits))
    return step if dispatches == before.dispatches else replace(step, thread=after.evolve(dispatches=dispatches))


def _status(after: Thread, event: ThreadEvent) -> str:
    """Return the final status of a run that is no longer the current one."""
    match event:
        case Findings() | Validated() | EvidenceFailed():
            return COMPLETED
        case RunFailed():
            return aborted("settings" if event.why == KEPT_BACK else event.why)
        case Stop():
            return aborted("stopped")
        case _ if after.status == "closed":
            return aborted(after.outcome)
        case _:
            return aborted("superseded")


def _record_report(dispatches: tuple[Dispatch, ...], event: Findings) -> tuple[Dispatch, ...]:
    """Record the project of a run, and the engine that took over from the model as a dispatch in its own right.

    A reused answer is recorded as made without a model.
    """
    report = event.report
    instead = {"model": ANSWERED_BEFORE} if report.engine == ANSWERED_BEFORE else {}
    updated = tuple(
        dispatch.evolve(cwd=dispatch.cwd or report.project, **instead) if dispatch.run_id == event.run_id else dispatch
        for dispatch in dispatches
    )
    if not updated or report.fallback is None:
        return updated
    *rest, last = updated
    second = last.evolve(model=report.engine, started_at=event.at)
    return (*rest, last.evolve(status=aborted(report.fallback_why)), second)


def _start_dispatch(thread: Thread, run_id: str, event: ThreadEvent, limits: WorkflowLimits) -> Dispatch:
    role = thread.route.role if thread.route else INVESTIGATOR
    number = len({dispatch.journal_file for dispatch in thread.dispatches}) + 1
    return Dispatch(
        run_id=run_id,
        role=role,
        cwd=_cwd(thread),
        model=limits.tier_models.get(thread.run_tier, limits.model),
        started_at=event.at,
        journal_file=f"{role}.md" if number == 1 else f"{role}-{number}.md",
    )


def _cwd(thread: Thread) -> str:
    if thread.route is None:
        return ""
    return thread.route.project if thread.route.folder == "." else f"{thread.route.project}/{thread.route.folder}"
