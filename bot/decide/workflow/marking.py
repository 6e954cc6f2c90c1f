"""Status reactions under a question: received, working, waiting, then success, failure or none.

Only the first message of a question gets one, and only in live channels: practice must not be visible there. The wanted
reactions are saved together with the change that they show, so that a restart knows all that may exist.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from bot.models.faults import has_answer
from bot.models.status_reaction import StatusReaction

if TYPE_CHECKING:
    from bot.decide.workflow.steps import Transition, WorkflowLimits
    from bot.models.status_reaction import ReactionState
    from bot.models.thread import Thread
    from bot.models.thread_event import ReactionsUpdated


def update_reactions(step: Transition, limits: WorkflowLimits) -> Transition:
    """Return the step with the wanted reactions of its document."""
    thread = step.thread
    if limits.marks is None or thread is None or not step.accepted:
        return step
    name = _name(thread, limits)
    anchor = thread.anchor or thread.original_message_id
    waiting = thread.set_aside.messages if thread.set_aside else ()  # their reactions change once they are taken up
    marks = [
        updated
        for mark in thread.marks
        if (updated := mark if mark.ts in waiting and mark.ts != anchor else _update_reaction(mark, anchor, name))
    ]
    if name and (anchor, name) not in [mark.place for mark in marks]:
        marks.append(StatusReaction(ts=anchor, name=name))
    return replace(step, thread=thread.evolve(marks=tuple(marks))) if tuple(marks) != thread.marks else step


def record_reactions(thread: Thread, event: ReactionsUpdated) -> Thread:
    """Record the reactions that Slack confirmed; one that is wanted again meanwhile is added again."""
    marks = []
    for mark in thread.marks:
        if mark.place in event.removed:
            if mark.wanted:
                marks.append(mark.evolve(stands=False))
        else:
            marks.append(mark.evolve(stands=mark.stands or mark.place in event.standing))
    return thread.evolve(marks=tuple(marks))


def state_of(thread: Thread) -> ReactionState | None:
    """Return the state to show to the asker; `None` where a person decided that the bot does not reply."""
    match thread.status:
        case "collecting":
            return "received"
        case "investigating" | "escalated" | "awaiting-validation" | "bounced-round-1":
            return "working"
        case "pending-user":
            return "failure" if thread.failure else "waiting"
        case "approved" | "in-doubt":
            return "waiting"
        case "closed":
            return _find_ending(thread)
        case _:
            assert_never(thread.status)


def _find_ending(thread: Thread) -> ReactionState | None:
    if thread.outcome == "recovered":
        is_unknown = thread.incident is not None and thread.incident.is_over and not thread.incident.healthy_again
        return None if is_unknown else "success"
    if thread.outcome == "replied":
        return "success" if has_answer(thread) else "failure"
    if thread.outcome == "expired" or (thread.outcome in ("dismissed", "skipped") and thread.failure):
        return "failure"
    return None


def _name(thread: Thread, limits: WorkflowLimits) -> str | None:
    """Return the emoji to show."""
    state = state_of(thread)
    if limits.marks is None or state is None or thread.mode != "live" or thread.chat_id in limits.marks.quiet:
        return None
    is_held = state == "working" and limits.is_stopped
    return limits.marks.names.get("received" if is_held else state)


def _update_reaction(mark: StatusReaction, anchor: str, name: str | None) -> StatusReaction | None:
    """Update an earlier reaction; one under an earlier question stays as intended, and is dropped once it is
    settled."""
    if mark.ts != anchor:
        return None if mark.is_done else mark
    wanted = mark.name == name
    return mark.evolve(wanted=wanted, stands=False) if wanted != mark.wanted else mark
