"""What an operator's press does to a thread. A press that names another draft, or an older nonce, does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.workflow.delivered import replied
from bot.decide.workflow.steps import Limits, Step, changed, closed, investigate, moved, sent_back
from bot.models.effect import PostReply
from bot.models.happening import Answer, Approve, Bounce, Dismiss, EditSubmitted, PostAgain, Press, Redraft, WasPosted
from bot.models.thread import Decision

if TYPE_CHECKING:
    from bot.models.thread import Thread

_BEFORE_A_DRAFT = ("collecting", "investigating", "bounced-round-1", "awaiting-validation")


def pressed(thread: Thread, press: Press, limits: Limits) -> Step | None:
    """A person's decision, made on the card as it was drawn."""
    if isinstance(press, Dismiss) and thread.status in _BEFORE_A_DRAFT:
        named = press.nonce == thread.card.nonce or _names_this_draft(thread, press)
        return _dismissed(thread, press) if named else None
    if not _names_this_draft(thread, press):
        return None
    match thread.status, press:
        case "pending-user", Approve() if (draft := thread.draft_pending) and not draft.withheld:
            return _approved(thread, press) if press.anyway == bool(thread.stale) else None
        case "pending-user", EditSubmitted() if thread.draft_pending:
            return changed(thread, press, draft_pending=press.draft, drafts_made=thread.drafts_made + 1)
        case "pending-user", Bounce() | Answer() | Redraft():
            return _again(thread, press)
        case "pending-user", Dismiss():
            return _dismissed(thread, press)
        case "in-doubt", WasPosted():
            return replied(thread, press, limits)
        case "in-doubt", PostAgain():
            return Step(moved(thread, press, "approved", due_at=None).thread, PostReply(look_first=True))
        case _:
            return None


def _again(thread: Thread, press: Bounce | Answer | Redraft) -> Step:
    """Another draft, made with what the operator says."""
    match press:
        case Bounce():
            return investigate(
                thread,
                press,
                "bounced-round-1",
                feedback=press.feedback,
                operator_bounces=thread.operator_bounces + 1,
                rounds=sent_back(thread, "operator", press.feedback),
                decision=Decision(action="bounce", by=press.by, at=press.at, reason=press.feedback),
            )
        case Answer():
            return investigate(
                thread,
                press,
                "investigating",
                feedback=f"An operator answers the open questions: {press.text}",
                decision=Decision(action="answer", by=press.by, at=press.at, reason=press.text),
            )
        case Redraft():
            return investigate(thread, press, "investigating", feedback=None)


def _names_this_draft(thread: Thread, press: Press) -> bool:
    draft = thread.draft_pending
    if draft is None:  # a card without a draft, after a failed run: its buttons carry the card's nonce
        return press.nonce == thread.card.nonce
    return (press.draft_id, press.nonce) == (draft.draft_id, draft.nonce)


def _approved(thread: Thread, press: Approve) -> Step:
    decision = Decision(action="approve", by=press.by, at=press.at)
    if thread.mode != "live":
        return closed(thread, press, "practice", decision=decision)
    step = moved(thread, press, "approved", decision=decision, user_approved_at=press.at, due_at=None)
    return Step(step.thread, PostReply())


def _dismissed(thread: Thread, press: Dismiss) -> Step:
    decision = Decision(action="dismiss", by=press.by, at=press.at)
    return closed(thread, press, "dismissed", decision=decision, inbox=())
