"""Hand-over of a question from one operator to another: by a person, or because time has passed.

The new operator gets a new card. The previous card names the new operator, and its buttons have no effect any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.workflow.steps import Transition, change_thread
from bot.models.card import Card, HandOver

if TYPE_CHECKING:
    from bot.decide.workflow.steps import WorkflowLimits
    from bot.models.thread import Thread
    from bot.models.thread_event import CardRetired, OperatorLost, ThreadEvent

_SENT = ("approved", "in-doubt", "closed")
"""Statuses in which the draft's nonce names a reply that may be in the thread, or nothing is left to decide."""


def hand_over_question(
    thread: Thread, event: ThreadEvent, *, to: str, by: str | None = None, for_second: bool = False
) -> Transition | None:
    """Hand the question to the operator `to`. `by` is the person who did it, `None` for a hand-over by time.

    Return `None` where the question is theirs already, or there is nothing to hand over.
    """
    if thread.status in _SENT or to == thread.operator:
        return None
    line = HandOver(at=event.at, by=by, before=thread.operator, to=to, card=thread.card, for_second=for_second)
    return _hand_over_to(_with_fresh_nonce(thread, event.fresh), event, to, line)


def replace_lost_operator(thread: Thread, lost: OperatorLost, limits: WorkflowLimits) -> Transition | None:
    """Hand over the question of an operator who cannot be reached; without a next operator it stays.

    The previous card is not updated. A reply in doubt keeps its nonce, by which it is looked up.
    """
    if thread.operator != lost.user or thread.status in ("approved", "closed"):
        return None
    barred = {lost.user} | barred_from_deciding(thread, limits)
    to = next((user for user in lost.operators if user not in barred), None)
    if to is None:
        return None
    line = HandOver(at=lost.at, by=None, before=lost.user, to=to, card=thread.card, is_shown=True, is_lost=True)
    is_sent = thread.status == "in-doubt"
    return _hand_over_to(thread if is_sent else _with_fresh_nonce(thread, lost.fresh), lost, to, line)


def barred_from_deciding(thread: Thread, limits: WorkflowLimits) -> set[str]:
    """Return the people whose approval would not count: the first approvers of the reply and of the proposed runbook,
    and the asker where the settings say so."""
    first = {thread.first_approval.by} if thread.first_approval else set()
    remedy = thread.incident.proposal if thread.incident else None
    if remedy and remedy.state == "proposed" and remedy.first_by:
        first.add(remedy.first_by)
    return first if limits.asker_may_approve else first | {thread.original_sender_id}


def _hand_over_to(thread: Thread, event: ThreadEvent, to: str, line: HandOver) -> Transition:
    card = Card(nonce=event.fresh, number=thread.card.number + 1)
    return change_thread(thread, event, operator=to, card=card, hand_overs=(*thread.hand_overs, line))


def _with_fresh_nonce(thread: Thread, nonce: str) -> Thread:
    return thread.evolve(draft_pending=thread.draft_pending and thread.draft_pending.evolve(nonce=nonce))


def record_retired_card(thread: Thread, event: CardRetired) -> Transition | None:
    """Record that a previous card was deleted, or now names the new operator."""
    if any(card.nonce == event.nonce for card in thread.replaced):
        return Transition(thread.evolve(replaced=tuple(card for card in thread.replaced if card.nonce != event.nonce)))
    if not any(hand_over.card.nonce == event.nonce and not hand_over.is_shown for hand_over in thread.hand_overs):
        return None
    hand_overs = tuple(
        hand_over.evolve(is_shown=True) if hand_over.card.nonce == event.nonce else hand_over
        for hand_over in thread.hand_overs
    )
    return Transition(thread.evolve(hand_overs=hand_overs))
