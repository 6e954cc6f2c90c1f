"""Status line for the asker: once after a failed run, on expiry, during a stop, or for a paused project.

Saved together with the change that it reports, so that a restart knows what is still to be sent.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.models.asker_line import AskerLine, Ending
from bot.models.external import KEPT_BACK
from bot.models.thread_event import RunFailed

if TYPE_CHECKING:
    from bot.decide.workflow.steps import Transition, WorkflowLimits
    from bot.models.thread import Thread
    from bot.models.thread_event import AskerLineShown, MessageAdded, ThreadEvent


def with_asker_line(before: Thread, step: Transition, event: ThreadEvent, limits: WorkflowLimits) -> Transition:
    """Return the step with the line to send to the asker."""
    after = step.thread
    assert after is not None  # noqa: S101  # the step was accepted; narrows the type
    ending = None if after.is_about_incident else _find_ending(before, after, limits)
    if ending is None or not _is_told(after, ending):
        return step
    previous_line = before.asker_line
    if previous_line and (previous_line.ending, previous_line.question_round) == (ending, after.question_round):
        return step
    why = event.why if isinstance(event, RunFailed) else None
    if why == KEPT_BACK:
        return step
    line = AskerLine(at=event.at, ending=ending, question_round=after.question_round, why=why)
    return replace(step, thread=after.evolve(asker_line=line))


def record_asker_told(thread: Thread, event: AskerLineShown) -> Thread | None:
    """Return the document with the line marked as begun or to be sent again; `None` where that is recorded already."""
    line = thread.asker_line
    if line is None or (line.ending, line.question_round) != (event.ending, event.question_round):
        return None
    if line.is_begun == event.is_begun:
        return None
    return thread.evolve(asker_line=line.evolve(is_begun=event.is_begun))


def stop_line(event: MessageAdded, limits: WorkflowLimits, *, question_round: int) -> AskerLine | None:
    """Return the line of a stop for a mentioning asker; marked as sent, since the reply to the mention says the
    same."""
    if not (limits.is_stopped and event.mentioned):
        return None
    return AskerLine(at=event.at, ending="stopped", question_round=question_round, is_begun=True)


def _find_ending(before: Thread, after: Thread, limits: WorkflowLimits) -> Ending | None:
    if limits.is_stopped and before.status == "collecting" and after.is_worked_on:
        return "stopped"
    if after.status == "pending-user" and after.failure and before.status != "pending-user":
        return "failed"
    is_outsider = after.external is not None and after.external.asker  # project names are hidden from outsiders
    if after.status == "pending-user" and after.paused_project and before.status == "awaiting-validation":
        return None if is_outsider else "paused"
    return "expired" if after.outcome == "expired" and before.status != "closed" else None


def _is_told(thread: Thread, ending: Ending) -> bool:
    """Return whether the asker is a person who sees live replies, and has not got the card."""
    is_person = thread.original_sender_id.startswith(("U", "W"))
    return is_person and thread.mode == "live" and (ending == "stopped" or thread.original_sender_id != thread.operator)
