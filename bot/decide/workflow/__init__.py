"""State machine of a question's thread: the only place where a status changes. Pure.

`advance` takes the thread's document and an event, and returns the changed document with the effect to run. Late and
duplicate events, and events of another run, leave the document unchanged. After a restart, `resume` derives the effect
to run again from the saved document alone.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from bot.decide.workflow.announcing import announce
from bot.decide.workflow.asker_line import told, with_asker_line
from bot.decide.workflow.delivered import delivered
from bot.decide.workflow.desk import card_retired, operator_lost
from bot.decide.workflow.dispatches import dispatched
from bot.decide.workflow.marking import drawn, marked
from bot.decide.workflow.messages import asked, opened, routed
from bot.decide.workflow.naming import naming, with_files
from bot.decide.workflow.next_question import unread_opens
from bot.decide.workflow.presses import pressed
from bot.decide.workflow.progress import progress_drawn, taken_long, timed
from bot.decide.workflow.revisions import Revision, revised, unmarked
from bot.decide.workflow.runs import run_ended
from bot.decide.workflow.settling import settled_by_mark
from bot.decide.workflow.steps import Transition, WorkflowLimits, changed, closed, investigate
from bot.decide.workflow.waiting import nudge_lost, shown_again, waited, waiting
from bot.models.effect import CheckFindings, Effect, Investigate, KeepNote, LookUpReply, OpenReferences, PostReply
from bot.models.presses import Restarted
from bot.models.surface_event import Shown
from bot.models.thread_event import (
    AskerTold,
    CardDrawn,
    CardRetired,
    CardWanted,
    DoubtfulPost,
    Due,
    EvidenceFailed,
    Findings,
    FoundReplied,
    Happening,
    HeldBack,
    Marked,
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
    Press,
    ProgressDrawn,
    RunFailed,
    SettledMark,
    Validated,
)

if TYPE_CHECKING:
    from bot.models.thread import Thread

LONGEST_SETTLING = timedelta(minutes=1)
"""Upper bound of the wait before the lookup of a reply in doubt."""

__all__ = ["Transition", "WorkflowLimits", "advance", "resume"]


def advance(thread: Thread | None, happening: Happening, limits: WorkflowLimits) -> Transition:
    """Apply an event to a thread's document; `None` stands for a thread that is not known yet."""
    step = _advanced(thread, happening, limits) if thread else _begun(happening, limits)
    return marked(with_files(naming(step, happening), happening), limits)


def _begun(happening: Happening, limits: WorkflowLimits) -> Transition:
    if isinstance(happening, MessageAdded) and happening.asks and not happening.joins and not happening.muted:
        return opened(happening, limits)
    return Transition(None, accepted=False)


def _advanced(thread: Thread, happening: Happening, limits: WorkflowLimits) -> Transition:
    step = _moved(thread, happening, limits)
    if step is None:
        return Transition(thread, accepted=False)
    if not step.accepted:
        return step
    step = timed(
        thread, waiting(thread, announce(thread, step, happening, limits), happening, limits), happening, limits
    )
    return with_asker_line(thread, dispatched(thread, step, happening, limits), happening, limits)


def _moved(thread: Thread, happening: Happening, limits: WorkflowLimits) -> Transition | None:
    match happening:
        case _ if isinstance(happening, Shown):
            return _shown(thread, happening, limits)
        case MessageAdded() | Overheard() | Restarted():
            return asked(thread, happening, limits)
        case SettledMark():
            return (settled_by_mark if happening.added else unmarked)(thread, happening, limits)
        case _ if isinstance(happening, Revision):
            return revised(thread, happening, limits)
        case Due() | Postponed():
            return _due(thread, happening, limits)
        case Findings() | RunFailed() | EvidenceFailed() | Validated() if happening.run_id == thread.run_id:
            return run_ended(thread, happening, limits)
        case _ if isinstance(happening, Press):
            return pressed(thread, happening, limits)
        case FoundReplied() if thread.status == "collecting":
            return closed(thread, happening, "replied", posted_message_id=happening.ts)
        case Posted() | PostFailed() | DoubtfulPost() | NotFound() | HeldBack() | NoteKept() | Mute():
            return delivered(thread, happening, limits)
        case _:
            return None


def resume(thread: Thread) -> Effect | None:
    """Return the effect that a saved document needs after a restart."""
    match thread.status:
        case "investigating" | "bounced-round-1" if thread.run_id:
            return Investigate(run_id=thread.run_id)
        case "awaiting-validation" if thread.run_id:
            return CheckFindings(run_id=thread.run_id)
        case "pending-user" if thread.opening:
            return OpenReferences(opening=thread.opening)
        case "approved" if thread.keeps_note and thread.due_at is None:
            return KeepNote()
        case "approved" if thread.due_at is None:
            return PostReply(look_first=True, settle=True)
        case _:
            return None


def _shown(thread: Thread, happening: Shown, limits: WorkflowLimits) -> Transition | None:
    match happening:
        case AskerTold():
            made = told(thread, happening)
            return Transition(made) if made else None
        case Marked():
            return Transition(drawn(thread, happening)) if thread.marks else None
        case CardDrawn():
            return _card_drawn(thread, happening)
        case CardRetired():
            return card_retired(thread, happening)
        case CardWanted():
            return shown_again(thread, happening)
        case ProgressDrawn():
            return progress_drawn(thread, happening)
        case NudgeLost():
            return nudge_lost(thread, happening)
        case OperatorLost():
            return operator_lost(thread, happening, limits)
        case _:  # `StateChanged`
            return changed(thread, happening) if thread.is_worked_on else None


def _card_drawn(thread: Thread, happening: CardDrawn) -> Transition | None:
    known = happening.revision <= thread.card.drawn and happening.ts in (None, thread.card.ts)
    if happening.nonce != thread.card.nonce or known:
        return None
    place = {"channel": happening.channel, "ts": happening.ts} if happening.ts else {}
    card = thread.card.evolve(drawn=happening.revision, **place)
    return Transition(thread.evolve(card=card))


def _set_back(thread: Thread, happening: Due | Postponed, limits: WorkflowLimits) -> bool:
    """Return whether `due_at` is further ahead than any such wait lasts: the clock was set back since."""
    longest = max(limits.debounce, LONGEST_SETTLING)
    return thread.waits_briefly and thread.due_at is not None and thread.due_at - happening.at > longest


def _due(thread: Thread, happening: Due | Postponed, limits: WorkflowLimits) -> Transition | None:
    if isinstance(happening, Due) and thread.status == "pending-user":
        return waited(thread, happening, limits)
    if thread.due_at is None or (happening.at < thread.due_at and not _set_back(thread, happening, limits)):
        return None
    if isinstance(happening, Postponed):
        return changed(thread, happening, due_at=happening.until, waiting=happening.waiting)
    if thread.is_worked_on and isinstance(happening, Due):
        return taken_long(thread, happening, limits)
    if thread.status == "collecting":
        return investigate(routed(thread, limits), happening, "investigating")
    if thread.status == "approved":
        return Transition(changed(thread, happening, due_at=None).thread, LookUpReply())
    if thread.status == "closed" and thread.inbox:
        return unread_opens(thread, happening)
    return None
