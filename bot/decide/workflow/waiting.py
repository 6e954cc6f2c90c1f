"""Timers of a card that waits for a decision: announcement, notification, reminder, hand-over, expiry.

Each change of the card restarts all of them. `due_at` is the first of them; a timer that was missed while the bot was
down runs once. All but the expiry count working hours only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.decide.workflow.alerts import only_counts
from bot.decide.workflow.announcing import announcement_changes
from bot.decide.workflow.desk import barred_from_deciding, hand_over_question
from bot.decide.workflow.remedies import expire_proposal
from bot.decide.workflow.steps import Transition, WorkflowLimits, change_thread, close_thread, with_change
from bot.decide.working_hours import add_working_time, open_from
from bot.models.effect import Remind, ShowCardInChannel
from bot.models.thread_event import CardWanted, Due

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.thread import Thread
    from bot.models.thread_event import NudgeLost, ThreadEvent


def schedule_card(before: Thread, step: Transition, event: ThreadEvent, limits: WorkflowLimits) -> Transition:
    """Return the step with the timers of a changed card, and a notification for a new draft."""
    thread = step.thread
    if isinstance(event, Due | CardWanted):  # its timers are set already
        return step
    if thread is None or thread.status != "pending-user" or thread.revision == before.revision:
        return step
    if only_counts(before, thread, event):
        return step
    if thread.held_low:
        times = {"expires_at": event.at + limits.expiry, "remind_at": None, "hand_over_at": None}
        return Transition(_with_timers(thread, **times), step.effect)
    armed = _with_timers(thread, **_times(event.at, limits, thread.announce_at))
    if step.effect or armed.announce_at:
        return Transition(armed, step.effect)
    return _notify_in_channel(armed, before.operator, limits)


def _notify_in_channel(thread: Thread, before: str, limits: WorkflowLimits) -> Transition:
    """Notify the operator of a new draft in the channel, once. `before` is the previous operator."""
    draft = thread.draft_pending
    if draft is None or draft.withheld or not _is_nudged(thread, limits):
        return Transition(thread)
    if thread.nudged == draft.draft_id and thread.operator == before:
        return Transition(thread)
    return Transition(thread.evolve(nudged=draft.draft_id), ShowCardInChannel())


def handle_card_due(thread: Thread, due: Due, limits: WorkflowLimits) -> Transition | None:
    """Run the timer that is due; `None` where none is."""
    if thread.due_at is None:
        return None
    if due.at < thread.due_at:
        return _set_right(thread, due, limits)
    if due.at >= (thread.expires_at or thread.due_at):
        if thread.incident and thread.incident.is_remedied:  # the end of its runbook comes first
            return Transition(_with_timers(thread, **_times(due.at, limits)))
        return expire_proposal(thread, due, limits) or close_thread(thread, due, "expired")
    opens = open_from(limits.hours, due.at)
    if opens > due.at:  # nobody is at work
        times = {name: getattr(thread, name) for name in ("announce_at", "remind_at", "hand_over_at")}
        later: dict[str, datetime | None] = {name: at and max(at, opens) for name, at in times.items()}
        if thread.announce_at:
            later["expires_at"] = opens + limits.expiry
        return Transition(_with_timers(thread, **later))
    if thread.announce_at:
        updated = with_change(thread, due, **announcement_changes(thread))
        return _notify_in_channel(_with_timers(updated, **_times(due.at, limits)), thread.operator, limits)
    if thread.hand_over_at and thread.hand_over_at <= due.at:
        return _passed_on(thread, due, limits)
    return _remind_once(thread, due, limits)


def latest_due(at: datetime, limits: WorkflowLimits) -> datetime:
    """Return the latest time at which a card is due that began to wait at `at` or earlier."""
    return min(moment for moment in _times(at, limits, open_from(limits.hours, at)).values() if moment)


def show_card_again(thread: Thread) -> Transition:
    """Post a new card in place of the current one, for an operator who asked for it."""
    changes = announcement_changes(thread)
    changes["card"] = changes["card"].evolve(wanted=True)
    after = thread.evolve(revision=thread.revision + 1, **changes)
    return Transition(_with_timers(after) if thread.announce_at else after)


def handle_lost_notification(thread: Thread, event: NudgeLost) -> Transition | None:
    """Send the card to the direct message immediately, since the operator cannot be notified in the channel."""
    draft = thread.draft_pending
    if draft is None or thread.nudged != event.draft_id or thread.card.wanted or not thread.is_open:
        return None
    return change_thread(thread, event, card=thread.card.evolve(wanted=True))


def _times(at: datetime, limits: WorkflowLimits, announce_at: datetime | None = None) -> dict[str, datetime | None]:
    """Return the timers of a card that changed at `at`; the expiry counts from its announcement."""
    return {
        "expires_at": max(at, announce_at or at) + limits.expiry,
        "remind_at": add_working_time(limits.hours, at, limits.remind) if limits.remind else None,
        "hand_over_at": add_working_time(limits.hours, at, limits.hand_over) if limits.hand_over else None,
    }


def _with_timers(thread: Thread, **changes: Any) -> Thread:
    """Return the document with these timers, due at the first of them."""
    updated = thread.evolve(**changes)
    times = (updated.announce_at, updated.expires_at, updated.remind_at, updated.hand_over_at)
    return updated.evolve(due_at=min(moment for moment in times if moment))


def _is_nudged(thread: Thread, limits: WorkflowLimits) -> bool:
    return limits.cards.get(thread.chat_id) in ("ephemeral", "both")


def _passed_on(thread: Thread, due: Due, limits: WorkflowLimits) -> Transition | None:
    """Hand the card to the next operator; it stays where every operator has had it since its last change."""
    successor = _successor(thread, due, limits) if limits.hand_over else None
    step = hand_over_question(thread, due, to=successor) if successor else None
    if step is None or step.thread is None:
        return Transition(_with_timers(thread, hand_over_at=None))
    times = _times(due.at, limits) | {"expires_at": thread.expires_at}
    effect = ShowCardInChannel() if _is_nudged(thread, limits) and thread.nudged else None
    return Transition(_with_timers(step.thread, **times), effect)


def _successor(thread: Thread, due: Due, limits: WorkflowLimits) -> str | None:
    """Return the next operator in order who has not had this card yet."""
    had = {thread.operator} | barred_from_deciding(thread, limits)
    for hand_over in thread.hand_overs:
        if thread.expires_at and hand_over.at > thread.expires_at - limits.expiry:  # since its last change
            had.add(hand_over.before)
    order = due.operators
    start = order.index(thread.operator) + 1 if thread.operator in order else 0
    return next((user for user in (*order[start:], *order[:start]) if user not in had), None)


def _remind_once(thread: Thread, due: Due, limits: WorkflowLimits) -> Transition:
    """Remind the operator once, however much time has passed."""
    if limits.remind is None:  # reminders were switched off since
        return Transition(_with_timers(thread, remind_at=None))
    next_reminder = add_working_time(limits.hours, due.at, limits.remind)
    if limits.cards.get(thread.chat_id) == "ephemeral" and thread.card.ts is None and not thread.card.wanted:
        card = thread.card.evolve(wanted=True)  # the card itself is the reminder
        return change_thread(_with_timers(thread, remind_at=next_reminder), due, card=card)
    return Transition(_with_timers(thread, remind_at=next_reminder), Remind())


def _set_right(thread: Thread, due: Due, limits: WorkflowLimits) -> Transition | None:
    """Correct timers that are further ahead than possible: the clock was set back since."""
    opens = open_from(limits.hours, due.at)
    longest = _times(due.at, limits, opens) | {"announce_at": opens}
    times = {name: getattr(thread, name) for name in longest}
    right = {name: min(at, longest[name] or at) if at else None for name, at in times.items()}
    return Transition(_with_timers(thread, **right)) if right != times and any(right.values()) else None
