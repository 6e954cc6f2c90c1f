"""State machine of a question's thread: the only place where a status changes. Pure.

`advance` takes the thread's document and an event, and returns the changed document with the effect to run. Late and
duplicate events, and events of another run, leave the document unchanged. After a restart, `resume` derives the effect
to run again from the saved document alone.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, assert_never

from bot.decide.workflow.alerts import fire, is_alert
from bot.decide.workflow.announcing import announce
from bot.decide.workflow.asker_line import record_asker_told, with_asker_line
from bot.decide.workflow.automatic import approve_automatically
from bot.decide.workflow.created_tasks import attach_order, record_task_end, start_task
from bot.decide.workflow.delivered import apply_delivery
from bot.decide.workflow.desk import record_retired_card, replace_lost_operator
from bot.decide.workflow.dispatches import update_dispatches
from bot.decide.workflow.escalating import begin_work
from bot.decide.workflow.fixes import apply_fix_event, resume_fix, show_fix_again
from bot.decide.workflow.incidents import apply_incident_event
from bot.decide.workflow.marking import record_reactions, update_reactions
from bot.decide.workflow.messages import apply_message, open_thread
from bot.decide.workflow.naming import learn_names, with_files
from bot.decide.workflow.next_question import open_unread_question
from bot.decide.workflow.precedence import let_outage_begin, start_outage
from bot.decide.workflow.presses import apply_press
from bot.decide.workflow.progress import record_progress, schedule_progress, show_progress
from bot.decide.workflow.recovering import end_if_recovered, record_recovery_shown
from bot.decide.workflow.remedies import settle_proposal
from bot.decide.workflow.revisions import Revision, apply_revision, withdraw_check_mark
from bot.decide.workflow.routes import routed
from bot.decide.workflow.runs import apply_run_event
from bot.decide.workflow.settling import settled_by_mark
from bot.decide.workflow.steps import Transition, WorkflowLimits, change_thread, close_thread
from bot.decide.workflow.task_events import apply_task_event
from bot.decide.workflow.waiting import handle_card_due, handle_lost_notification, schedule_card, show_card_again
from bot.models.effect import (
    CheckFindings,
    Effect,
    Escalate,
    Investigate,
    KeepNote,
    LookUpReply,
    OpenReferences,
    PostReply,
    RunRunbook,
    SideEffect,
)
from bot.models.fix_event import FixEvent
from bot.models.incident_event import IncidentEvent
from bot.models.presses import Restarted
from bot.models.surface_event import SurfaceEvent
from bot.models.task_event import TaskEvent
from bot.models.thread_event import (
    AskerLineShown,
    AutoApproval,
    CardRendered,
    CardRetired,
    CardWanted,
    DoubtfulPost,
    Due,
    EvidenceFailed,
    Findings,
    FoundReplied,
    HeldBack,
    MessageAdded,
    Mute,
    NoteKept,
    NotFound,
    NudgeLost,
    OperatorLost,
    Overheard,
    Posted,
    PostFailed,
    Postponed,
    PressEvent,
    ProgressRendered,
    ReactionsUpdated,
    RecoveryShown,
    RunFailed,
    SettledMark,
    StateChanged,
    TaskStarted,
    ThreadEvent,
    ThreadResult,
    TierProgress,
    Validated,
)

if TYPE_CHECKING:
    from bot.models.thread import Thread

LONGEST_SETTLING = timedelta(minutes=1)
"""Upper bound of the wait before the lookup of a reply in doubt."""

__all__ = ["Transition", "WorkflowLimits", "advance", "list_side_effects", "resume", "resume_runbook"]


def advance(thread: Thread | None, event: ThreadEvent, limits: WorkflowLimits) -> Transition:
    """Apply an event to a thread's document; `None` stands for a thread that is not known yet."""
    step = _advance_thread(thread, event, limits) if thread else _start_thread(event, limits)
    return update_reactions(with_files(learn_names(step, event), event), limits)


def _start_thread(event: ThreadEvent, limits: WorkflowLimits) -> Transition:
    if isinstance(event, MessageAdded) and event.asks and not event.joins and not event.muted:
        return open_thread(event, limits)
    return Transition(None, accepted=False)


def _advance_thread(thread: Thread, event: ThreadEvent, limits: WorkflowLimits) -> Transition:
    step = _apply_event(thread, event, limits)
    if step is None:
        return Transition(thread, accepted=False)
    if not step.accepted or isinstance(event, FixEvent):  # a fix changes nothing of its thread's question
        return step
    step = let_outage_begin(end_if_recovered(step, event), event, limits)
    step = settle_proposal(record_task_end(thread, step), event)
    step = schedule_progress(
        thread, schedule_card(thread, announce(thread, step, event, limits), event, limits), event, limits
    )
    return with_asker_line(thread, update_dispatches(thread, step, event, limits), event, limits)


def _apply_event(thread: Thread, event: ThreadEvent, limits: WorkflowLimits) -> Transition | None:
    if isinstance(event, SurfaceEvent):
        return _apply_display_event(thread, event, limits)
    if isinstance(event, Revision):
        return apply_revision(thread, event, limits)
    if isinstance(event, PressEvent):
        return apply_press(thread, event, limits)
    if isinstance(event, AutoApproval):
        return approve_automatically(thread, event, limits)
    if isinstance(event, TaskEvent):
        return apply_task_event(thread, event, limits)
    if isinstance(event, IncidentEvent):
        return apply_incident_event(thread, event, limits)
    if isinstance(event, FixEvent):
        return apply_fix_event(thread, event, limits)
    return _apply_result(thread, event, limits)


def _apply_result(thread: Thread, event: ThreadResult, limits: WorkflowLimits) -> Transition | None:
    """Apply a message, a timer, or a result of work."""
    match event:
        case MessageAdded() if is_alert(thread, event.message):
            return fire(thread, event, limits)
        case MessageAdded(order=order) if order:
            return attach_order(thread, event, order, limits)
        case MessageAdded() | Overheard() | Restarted():
            return apply_message(thread, event, limits)
        case SettledMark():
            return settled_by_mark(thread, event, limits) if event.added else withdraw_check_mark(thread, event)
        case Due() | Postponed():
            return _advance_due(thread, event, limits)
        case TaskStarted():
            return start_task(thread, event, limits)
        case Findings() | RunFailed() | EvidenceFailed() | Validated() | TierProgress():
            return apply_run_event(thread, event, limits) if event.run_id == thread.run_id else None
        case FoundReplied():
            is_new = thread.status == "collecting"
            return close_thread(thread, event, "replied", posted_message_id=event.ts) if is_new else None
        case Posted() | PostFailed() | DoubtfulPost() | NotFound() | HeldBack() | NoteKept() | Mute():
            return apply_delivery(thread, event, limits)
        case _:
            assert_never(event)


def resume_runbook(thread: Thread) -> RunRunbook | None:
    """Return the runbook that a saved document has to run or to wait for, in any status, beside its other effect."""
    remedy = thread.incident.proposal if thread.incident else None
    return RunRunbook(run_id=remedy.run_id) if remedy and remedy.run_id else None


def list_side_effects(thread: Thread) -> tuple[SideEffect, ...]:
    """Return what a saved document has to do or to wait for, in any status, beside its other effect."""
    return tuple(effect for effect in (resume_runbook(thread), resume_fix(thread)) if effect)


def resume(thread: Thread) -> Effect | None:
    """Return the effect that a saved document needs after a restart; others are `list_side_effects`."""
    match thread.status:
        case "investigating" | "bounced-round-1" if thread.run_id:
            return Investigate(run_id=thread.run_id)
        case "escalated" if thread.run_id:
            return Escalate(run_id=thread.run_id)
        case "awaiting-validation" if thread.run_id:
            return CheckFindings(run_id=thread.run_id)
        case "pending-user" if thread.opening:
            return OpenReferences(opening=thread.opening)
        case "approved" if thread.keeps_note and thread.due_at is None:
            return KeepNote()
        case "approved" if thread.due_at is None:
            return PostReply(look_first=True, search_twice=True)
        case _:
            return None


def _apply_display_event(thread: Thread, event: SurfaceEvent, limits: WorkflowLimits) -> Transition | None:
    match event:
        case AskerLineShown() | RecoveryShown():
            return _record_line(thread, event)
        case ReactionsUpdated():
            return Transition(record_reactions(thread, event)) if thread.marks else None
        case CardRendered():
            return _card_drawn(thread, event)
        case CardRetired():
            return record_retired_card(thread, event)
        case CardWanted():
            return show_card_again(thread)
        case ProgressRendered():
            return record_progress(thread, event)
        case NudgeLost():
            return handle_lost_notification(thread, event)
        case OperatorLost():
            return replace_lost_operator(thread, event, limits)
        case StateChanged():
            fix = show_fix_again(thread)
            return change_thread(thread, event, **fix) if thread.is_worked_on or fix else None
        case _:
            assert_never(event)


def _record_line(thread: Thread, event: AskerLineShown | RecoveryShown) -> Transition | None:
    if isinstance(event, RecoveryShown):
        return record_recovery_shown(thread, event)
    updated = record_asker_told(thread, event)
    return Transition(updated) if updated else None


def _card_drawn(thread: Thread, event: CardRendered) -> Transition | None:
    is_recorded = event.revision <= thread.card.drawn and event.ts in (None, thread.card.ts)
    if event.nonce != thread.card.nonce or is_recorded:
        return None
    place = {"channel": event.channel, "ts": event.ts} if event.ts else {}
    card = thread.card.evolve(drawn=event.revision, **place)
    return Transition(thread.evolve(card=card))


def _set_back(thread: Thread, ahead: timedelta, limits: WorkflowLimits) -> bool:
    """Return whether `due_at` is further ahead than any such wait lasts: the clock was set back since."""
    return thread.waits_briefly and ahead > max(limits.debounce, LONGEST_SETTLING)


def _advance_due(thread: Thread, event: Due | Postponed, limits: WorkflowLimits) -> Transition | None:
    if isinstance(event, Due) and thread.status == "pending-user":
        return handle_card_due(thread, event, limits)
    if thread.due_at is None:
        return None
    ahead = thread.due_at - event.at
    if ahead > timedelta() and not _set_back(thread, ahead, limits):
        return None
    if isinstance(event, Postponed):
        return change_thread(thread, event, due_at=event.until, waiting=event.waiting)
    if thread.is_worked_on and isinstance(event, Due):
        return show_progress(thread, event, limits)
    if thread.status == "collecting":
        return begin_work(routed(thread, limits), event, limits)
    if thread.status == "approved":
        return Transition(change_thread(thread, event, due_at=None).thread, LookUpReply())
    return _begin_next(thread, event, limits) if thread.status == "closed" else None


def _begin_next(thread: Thread, event: Due, limits: WorkflowLimits) -> Transition | None:
    """Begin what waits in a closed thread: an outage before a question."""
    if thread.incident and thread.incident.is_unasked:
        return start_outage(thread, thread.incident, event, limits)
    return open_unread_question(thread, event) if thread.inbox or thread.set_aside else None
