"""Announcements: a decision that is needed gets a new card, since only a new message notifies anybody.

The previous card is replaced. Changes that need no new decision update the current card. Outside working hours nobody
is notified: the new card waits in the document until work begins, and the current card is kept up to date.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.decide.workflow.next_question import card_nonce
from bot.decide.working_hours import open_from
from bot.models.card import Card
from bot.models.thread_event import CardWanted

if TYPE_CHECKING:
    from bot.decide.workflow.steps import Transition, WorkflowLimits
    from bot.models.status import Status
    from bot.models.thread import Thread
    from bot.models.thread_event import ThreadEvent

_ASKING: tuple[Status, ...] = ("pending-user", "in-doubt")
"""Statuses in which a person has to decide."""


def announce(before: Thread, step: Transition, event: ThreadEvent, limits: WorkflowLimits) -> Transition:
    """Return the step with a new card where it needs a decision that nobody was asked for yet."""
    after = step.thread
    assert after is not None  # noqa: S101  # the step was accepted; narrows the type
    if after.status not in _ASKING:
        return replace(step, thread=after.evolve(announce_at=None)) if after.announce_at else step
    if after.held_low and isinstance(event, CardWanted):
        return replace(step, thread=after.evolve(held_low=False))
    if not _asks(before, after):
        return step
    if is_low := _is_low(after, limits):
        return replace(step, thread=after.evolve(held_low=is_low, announce_at=None))
    after = after.evolve(held_low=False)
    is_at_work = before.status == "approved"  # somebody has just pressed
    opens = event.at if is_at_work else open_from(limits.hours, event.at)
    changes = {"announce_at": opens} if opens > event.at else announcement_changes(after)
    return replace(step, thread=after.evolve(**changes))


def _is_low(thread: Thread, limits: WorkflowLimits) -> bool:
    """Return whether the draft is new and of low confidence.

    An edited draft, one with new messages, and one that comes back from a longer run without a result are not held.
    """
    findings, draft = thread.investigator_return, thread.draft_pending
    if (
        thread.is_about_incident
        or thread.is_about_order
        or not limits.hold_low
        or thread.status != "pending-user"
        or draft is None
        or findings is None
    ):
        return False
    return findings.confidence == "low" and not (
        draft.edited_by or draft.withheld or thread.stale or (thread.escalation and thread.escalation_problem)
    )


def _asks(before: Thread, after: Thread) -> bool:
    """Return whether there is a new decision to make, or another operator to make it."""
    if before.status not in _ASKING or before.operator != after.operator:
        return True
    if _has_run_in_vain(before, after) or _is_new_outage(before, after):
        return True
    return after.stale is not None and before.stale is None


def _has_run_in_vain(before: Thread, after: Thread) -> bool:
    """Return whether a runbook of the question has ended, and its services are not known to be healthy."""
    return (
        after.is_about_incident
        and before.incident is not None
        and before.incident.is_remedied
        and after.incident is not None
        and after.incident.last_attempt is not None
    )


def _is_new_outage(before: Thread, after: Thread) -> bool:
    """Return whether services failed again after a recovery, or are down for the first time in this outage, or are left
    of many."""
    if before.incident is None or after.incident is None or not after.is_about_incident:
        return False
    is_down = after.incident.has_been_down and not before.incident.has_been_down
    is_left = after.incident.is_narrowed and not before.incident.is_narrowed
    return is_down or is_left or after.incident.failures > before.incident.failures


def announcement_changes(thread: Thread) -> dict[str, Any]:
    """Return the changes of a document whose operator is notified now: its first card, or the next one."""
    card = thread.card
    if card.ts is None and not card.asks:
        return {"announce_at": None, "card": card.evolve(asks=True)}
    number = card.number + 1
    nonce = card_nonce(thread.thread_id, thread.question_round, number)
    return {
        "announce_at": None,
        "card": Card(nonce=nonce, number=number, asks=True),
        "replaced": (*thread.replaced, card),
    }
