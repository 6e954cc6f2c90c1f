"""Which reaction stands under a question: received, working, waiting, and at the end success, failure or none.

Only the message that a question began with carries one, and only where replies are posted: practice is not to be seen
by the channel. What is to stand is saved together with the change that it tells of, so that a start after a crash
knows everything that may stand.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.models.faults import has_answer
from bot.models.status_reaction import Mark

if TYPE_CHECKING:
    from bot.decide.workflow.steps import Transition, WorkflowLimits
    from bot.models.status_reaction import MarkState
    from bot.models.thread import Thread
    from bot.models.thread_event import Marked


def marked(step: Transition, limits: WorkflowLimits) -> Transition:
    """The step, with the marks that its document is to have."""
    thread = step.thread
    if limits.marks is None or thread is None or not step.accepted:
        return step
    name = _name(thread, limits)
    anchor = thread.anchor or thread.original_message_id
    marks = [kept for mark in thread.marks if (kept := _kept(mark, anchor, name))]
    if name and (anchor, name) not in [mark.place for mark in marks]:
        marks.append(Mark(ts=anchor, name=name))
    return replace(step, thread=thread.evolve(marks=tuple(marks))) if tuple(marks) != thread.marks else step


def drawn(thread: Thread, happening: Marked) -> Thread:
    """The document once Slack has said what stands; what is wanted again meanwhile is put there once more."""
    marks = []
    for mark in thread.marks:
        if mark.place in happening.gone:
            if mark.wanted:
                marks.append(mark.evolve(stands=False))
        else:
            marks.append(mark.evolve(stands=mark.stands or mark.place in happening.standing))
    return thread.evolve(marks=tuple(marks))


def state_of(thread: Thread) -> MarkState | None:
    """What the asker is told; none where a person has said that there is to be no reply of the bot's."""
    match thread.status:
        case "collecting":
            return "received"
        case "investigating" | "awaiting-validation" | "bounced-round-1":
            return "working"
        case "pending-user":
            return "failure" if thread.failure else "waiting"
        case "approved" | "in-doubt":
            return "waiting"
        case "closed":
            return _ending(thread)


def _ending(thread: Thread) -> MarkState | None:
    if thread.outcome == "replied":
        return "success" if has_answer(thread) else "failure"
    if thread.outcome == "expired" or (thread.outcome == "dismissed" and thread.failure):
        return "failure"
    return None


def _name(thread: Thread, limits: WorkflowLimits) -> str | None:
    """The emoji that is to stand."""
    state = state_of(thread)
    if limits.marks is None or state is None or thread.mode != "live" or thread.chat_id in limits.marks.quiet:
        return None
    is_held = state == "working" and limits.is_stopped
    return limits.marks.names.get("received" if is_held else state)


def _kept(mark: Mark, anchor: str, name: str | None) -> Mark | None:
    """A mark of before; under an earlier question it stays as it was meant to, and is forgotten once it is."""
    if mark.ts != anchor:
        return None if mark.is_settled else mark
    wanted = mark.name == name
    return mark.evolve(wanted=wanted, stands=mark.stands and mark.wanted and wanted) if wanted != mark.wanted else mark
