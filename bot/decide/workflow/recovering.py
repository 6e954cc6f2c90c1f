"""Recovery: closes what waits once all services of an incident are healthy, with one line in its thread.

The line is saved together with the recovery, so that a restart knows what is still to be said.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.decide.workflow.steps import Transition, close_thread
from bot.models.incident import RecoveryLine

if TYPE_CHECKING:
    from bot.models.incident import Incident
    from bot.models.thread import Thread
    from bot.models.thread_event import RecoveryShown, ThreadEvent

_SILENT = ("muted", "withdrawn")
"""Outcomes after which nothing is said in the thread."""


def end_if_recovered(step: Transition, event: ThreadEvent) -> Transition:
    """Return the step of a thread whose incident is over: nothing waits, and the recovery is to be said once.

    An approved reply goes its way, and a runbook that runs is waited for.
    """
    thread = step.thread
    incident = thread.incident if thread else None
    if thread is None or incident is None or not incident.is_over or incident.is_remedied:
        return step
    if thread.is_about_incident and thread.status not in ("approved", "closed"):
        step = close_recovered(thread, event)
        thread = step.thread
        assert thread is not None  # noqa: S101  # just closed; narrows the type
    line = _find_line(thread, incident, event)
    return replace(step, thread=thread.evolve(incident=incident.evolve(recovery=line))) if line else step


def close_recovered(thread: Thread, event: ThreadEvent, **changes: Any) -> Transition:
    """Close the question of an incident or alert that is over; what people asked in it, and another alert,
    are due as the next question.

    Remarks of people who asked nothing are closed with it.
    """
    joined = [message for message in thread.question_messages if message.message_id != thread.anchor]
    askers = {message.sender_id for message in joined if message.is_question}
    theirs = (m for m in joined if m.sender_id in askers and (m.is_question or not m.by_bot))
    own = tuple(message.message_id for message in theirs)
    return close_thread(thread, event, "recovered", inbox=own, due_at=event.at if own else None, **changes)


def _find_line(thread: Thread, incident: Incident, event: ThreadEvent) -> RecoveryLine | None:
    """Return the line of a recovery that was not said yet."""
    is_known = incident.recovery is not None and incident.recovery.failures == incident.failures
    if is_known or thread.mode != "live" or thread.outcome in _SILENT:
        return None
    return RecoveryLine(at=event.at, failures=incident.failures)


def record_recovery_shown(thread: Thread, event: RecoveryShown) -> Transition | None:
    """Record that the line is begun or done; `None` where that is recorded already."""
    incident = thread.incident
    line = incident.recovery if incident else None
    if incident is None or line is None or line.failures != event.failures:
        return None
    if line.is_done or (line.is_begun and not event.is_done):
        return None
    updated = incident.evolve(recovery=line.evolve(is_begun=True, is_done=event.is_done))
    return Transition(thread.evolve(incident=updated))
