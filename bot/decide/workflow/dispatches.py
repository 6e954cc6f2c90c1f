"""Dispatches: the record of each run of a role, from its beginning to its end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.models.repeated_question import ANSWERED_BEFORE
from bot.models.task import COMPLETED, RUNNING, Dispatch, aborted
from bot.models.thread_event import EvidenceFailed, Findings, RunFailed, Stop, Validated

if TYPE_CHECKING:
    from bot.decide.workflow.steps import Transition, WorkflowLimits
    from bot.models.thread import Thread
    from bot.models.thread_event import Happening

INVESTIGATOR = "investigator"
"""Role of a question without a route."""


def dispatched(before: Thread, step: Transition, happening: Happening, limits: WorkflowLimits) -> Transition:
    """Return the step with the updated dispatches."""
    after = step.thread
    assert after is not None  # noqa: S101  # the step was accepted; narrows the type
    dispatches = before.dispatches
    if isinstance(happening, Findings):
        dispatches = _reported(dispatches, happening)
    if before.run_id and after.run_id != before.run_id:
        status = _status(after, happening)
        dispatches = tuple(one.evolve(status=status) if one.status == RUNNING else one for one in dispatches)
    if after.run_id and after.run_id != before.run_id:
        dispatches = (*dispatches, _begun(after, after.run_id, happening, limits))
    return step if dispatches == before.dispatches else replace(step, thread=after.evolve(dispatches=dispatches))


def _status(after: Thread, happening: Happening) -> str:
    """Return the final status of a run that is no longer the current one."""
    match happening:
        case Findings() | Validated() | EvidenceFailed():
            return COMPLETED
        case RunFailed():
            return aborted(happening.why or "")
        case Stop():
            return aborted("stopped")
        case _ if after.status == "closed":
            return aborted(after.outcome or "")
        case _:
            return aborted("superseded")


def _reported(dispatches: tuple[Dispatch, ...], happening: Findings) -> tuple[Dispatch, ...]:
    """Record the project of a run, and the engine that took over from the model as a dispatch in its own right.

    A reused answer is recorded as made without a model.
    """
    report = happening.report
    instead = {"model": ANSWERED_BEFORE} if report.engine == ANSWERED_BEFORE else {}
    told = tuple(
        one.evolve(cwd=one.cwd or report.project, **instead) if one.run_id == happening.run_id else one
        for one in dispatches
    )
    if not told or report.fallback is None:
        return told
    *rest, last = told
    second = last.evolve(model=report.engine, started_at=happening.at)
    return (*rest, last.evolve(status=aborted(report.fallback_why or "")), second)


def _begun(thread: Thread, run_id: str, happening: Happening, limits: WorkflowLimits) -> Dispatch:
    role = thread.route.role if thread.route else INVESTIGATOR
    number = len({one.journal_file for one in thread.dispatches}) + 1
    return Dispatch(
        run_id=run_id,
        role=role,
        cwd=_cwd(thread),
        model=limits.model,
        started_at=happening.at,
        journal_file=f"{role}.md" if number == 1 else f"{role}-{number}.md",
    )


def _cwd(thread: Thread) -> str:
    if thread.route is None:
        return ""
    return thread.route.project if thread.route.folder == "." else f"{thread.route.project}/{thread.route.folder}"
