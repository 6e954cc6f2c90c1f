"""Button presses of operators. A press that names another draft, or an older nonce, has no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from bot.decide.bounce.words import ANSWERS
from bot.decide.workflow.approvals import approve
from bot.decide.workflow.created_tasks import requeue_unbegun_task
from bot.decide.workflow.delivered import close_replied
from bot.decide.workflow.desk import hand_over_question
from bot.decide.workflow.edits import apply_edit
from bot.decide.workflow.escalating import ask_program_again, dig_deeper, return_to_draft
from bot.decide.workflow.remedies import go_on_instead, run_runbook
from bot.decide.workflow.steps import (
    Transition,
    WorkflowLimits,
    add_round,
    change_thread,
    close_thread,
    investigate,
    move_thread,
)
from bot.decide.workflow.validating_again import lacks_only_a_verdict, validate_again
from bot.models.card import AskedOwner
from bot.models.decision import Decision
from bot.models.effect import PostReply
from bot.models.reasons import bounced
from bot.models.status import BEFORE_A_DRAFT
from bot.models.thread_event import (
    AnswerQuestion,
    Approve,
    AskOwner,
    Bounce,
    Delegate,
    DigDeeper,
    Dismiss,
    EditSubmitted,
    PostAgain,
    PressEvent,
    Redraft,
    RunRunbookPressed,
    Settle,
    Stop,
    TakeOver,
    WasPosted,
)

if TYPE_CHECKING:
    from bot.models.thread import Thread


def apply_press(thread: Thread, press: PressEvent, limits: WorkflowLimits) -> Transition | None:
    """Apply an operator's decision; it must match the card's current state."""
    if thread.status in BEFORE_A_DRAFT:
        return _before_a_draft(thread, press)
    if not _names_this_draft(thread, press):
        return None
    match thread.status:
        case "pending-user":
            return _while_pending(thread, press, limits)
        case "in-doubt":
            return _while_in_doubt(thread, press, limits)
        case _:
            return None


def _before_a_draft(thread: Thread, press: PressEvent) -> Transition | None:
    """Apply a decision on a question that is still being worked on."""
    if press.nonce != thread.card.nonce and not _names_this_draft(thread, press):
        return None
    match press:
        case Stop():
            return _end_run(thread, press)
        case Dismiss() | Settle() | TakeOver() | Delegate():
            return _without_a_draft(thread, press)
        case (
            Approve()
            | EditSubmitted()
            | Bounce()
            | AnswerQuestion()
            | Redraft()
            | DigDeeper()
            | RunRunbookPressed()
            | AskOwner()
            | WasPosted()
            | PostAgain()
        ):
            return None
        case _:
            assert_never(press)


def _while_pending(thread: Thread, press: PressEvent, limits: WorkflowLimits) -> Transition | None:
    """Apply a decision on a question that waits for one, with a draft or after a failed run."""
    draft = thread.draft_pending
    if isinstance(press, Redraft | DigDeeper) and (step := requeue_unbegun_task(thread, press)):
        return step
    match press:
        case Approve():
            return approve(thread, press, limits) if draft and not draft.withheld else None
        case EditSubmitted():
            return apply_edit(thread, press) if draft else None
        case AskOwner():
            return _owner_asked(thread, press)
        case Bounce() | AnswerQuestion() | Redraft():
            return _redraft(thread, press, limits)
        case DigDeeper():
            return dig_deeper(thread, press, limits)
        case RunRunbookPressed():
            return run_runbook(thread, press, limits)
        case Dismiss() | Settle() | TakeOver() | Delegate():
            return _without_a_draft(thread, press)
        case Stop() | WasPosted() | PostAgain():
            return None
        case _:
            assert_never(press)


def _while_in_doubt(thread: Thread, press: PressEvent, limits: WorkflowLimits) -> Transition | None:
    """Apply a decision on a reply that may be posted or not."""
    match press:
        case WasPosted():
            return close_replied(thread, press, limits)
        case PostAgain():
            posting = move_thread(thread, press, "approved", due_at=None, doubts=0).thread
            return Transition(posting, PostReply(look_first=True))
        case (
            Approve()
            | EditSubmitted()
            | Bounce()
            | AnswerQuestion()
            | Redraft()
            | DigDeeper()
            | RunRunbookPressed()
            | AskOwner()
            | Dismiss()
            | Settle()
            | TakeOver()
            | Delegate()
            | Stop()
        ):
            return None
        case _:
            assert_never(press)


def _without_a_draft(thread: Thread, press: Dismiss | Settle | TakeOver | Delegate) -> Transition | None:
    """Apply a decision that does not depend on a draft."""
    match press:
        case Dismiss():
            why = Decision(action="dismiss", by=press.by, at=press.at, code=press.code, link=press.link)
            return close_thread(thread, press, "dismissed", decision=why)
        case Settle():
            decision = Decision(action="settle", by=press.by, at=press.at)
            return close_thread(thread, press, "settled", decision=decision)
        case TakeOver():
            decision = Decision(action="take_over", by=press.by, at=press.at)
            return close_thread(thread, press, "taken-over", decision=decision)
        case Delegate():
            return hand_over_question(thread, press, to=press.to, by=press.by)
        case _:
            assert_never(press)


def _end_run(thread: Thread, press: Stop) -> Transition:
    """End the run; the question waits for a decision without a draft."""
    reason = f"{press.name or 'an operator'} stopped the investigation"
    if step := return_to_draft(thread, press, reason):
        return step
    changes = {"run_id": None, "waiting": None, "due_at": None, "draft_pending": None, "stopped_by": press.by}
    return move_thread(thread, press, "pending-user", failure=reason, **changes)


def _owner_asked(thread: Thread, press: AskOwner) -> Transition | None:
    """Record that an owner was asked, once for each draft, or that nobody was after all."""
    asked_owner, draft = thread.asked_owner, thread.draft_pending
    if press.owner is None:
        is_theirs = asked_owner and (asked_owner.draft_id, asked_owner.by) == (press.draft_id, press.by)
        return change_thread(thread, press, asked_owner=None) if is_theirs else None
    if draft is None or (asked_owner and asked_owner.draft_id == draft.draft_id):
        return None
    now_asked = AskedOwner(at=press.at, by=press.by, owner=press.owner, draft_id=draft.draft_id)
    return change_thread(thread, press, asked_owner=now_asked)


def _redraft(thread: Thread, press: Bounce | AnswerQuestion | Redraft, limits: WorkflowLimits) -> Transition:
    """Start another run with the operator's feedback."""
    match press:
        case Bounce():
            feedback = press.feedback
            changes: dict[str, Any] = {
                "feedback": feedback or None,
                "bounced_as": press.code,
                "operator_bounces": thread.operator_bounces + 1,
                "rounds": add_round(thread, "operator", bounced(press.code, feedback)),
                "decision": Decision(action="bounce", by=press.by, at=press.at, code=press.code, reason=feedback),
            }
            deeper = go_on_instead(thread, press, limits, **changes)
            deeper = deeper or ask_program_again(thread, press, limits, **changes)
            return deeper or investigate(thread, press, "bounced-round-1", **changes)
        case AnswerQuestion():
            return investigate(
                thread,
                press,
                "investigating",
                feedback=f"{ANSWERS}{press.text}",
                bounced_as=None,
                decision=Decision(action="answer", by=press.by, at=press.at, reason=press.text),
            )
        case Redraft() if lacks_only_a_verdict(thread) and not (thread.incident and thread.incident.lacks_remedy):
            return validate_again(thread, press)
        case Redraft():
            changes = {"feedback": None, "bounced_as": None}
            deeper = go_on_instead(thread, press, limits, **changes)
            return deeper or investigate(thread, press, "investigating", **changes)
        case _:
            assert_never(press)


def _names_this_draft(thread: Thread, press: PressEvent) -> bool:
    draft = thread.draft_pending
    if draft is None:  # a card without a draft, after a failed run: its buttons carry the card's nonce
        return press.nonce == thread.card.nonce
    return (press.draft_id, press.nonce) == (draft.draft_id, draft.nonce)
