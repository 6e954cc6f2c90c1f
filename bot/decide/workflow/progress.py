"""Progress: a long run has one quiet message, which is updated and becomes the thread of its card."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.decide.workflow.next_question import card_nonce
from bot.decide.workflow.steps import Transition, WorkflowLimits, change_thread
from bot.decide.working_hours import open_from
from bot.models.card import Card
from bot.models.thread_event import Due

_HELD = timedelta(minutes=1)
"""Time after which a held run of tier 2 or 3 is looked at again, where `limits.progress` is off."""

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.models.thread_event import ProgressRendered, ThreadEvent


def schedule_progress(before: Thread, step: Transition, event: ThreadEvent, limits: WorkflowLimits) -> Transition:
    """Return the step with the time at which its run counts as long; without a timer where a card shows it already."""
    after = step.thread
    assert after is not None  # noqa: S101  # the step was accepted; narrows the type
    if not after.is_worked_on or after.due_at:
        return step
    is_seen = after.progress or after.card.ts
    if after.status == "escalated" and before.status != "escalated" and not is_seen:  # an ephemeral card has no `ts`
        return replace(step, thread=after.evolve(due_at=event.at))
    if before.is_worked_on:  # another round of the same work: its timer goes on
        keeps = before.due_at and not isinstance(event, Due)
        return replace(step, thread=after.evolve(due_at=before.due_at)) if keeps else step
    if limits.progress is None or is_seen or after.card.asks:
        return step
    return replace(step, thread=after.evolve(due_at=event.at + limits.progress))


def show_progress(thread: Thread, due: Due, limits: WorkflowLimits) -> Transition:
    """Show the progress message, unless nobody is at work to read it, or the run is held."""
    if limits.progress is None and thread.status != "escalated":
        return Transition(thread.evolve(due_at=None))
    opens = open_from(limits.hours, due.at)
    if due.is_held or opens > due.at:
        return Transition(thread.evolve(due_at=max(opens, due.at + (limits.progress or _HELD))))
    nonce = card_nonce(thread.thread_id, thread.question_round)
    return change_thread(thread, due, due_at=None, progress=Card(nonce=nonce, asks=True))


def record_progress(thread: Thread, event: ProgressRendered) -> Transition | None:
    """Record that the message was posted with this revision."""
    message = thread.progress
    if message is None or message.nonce != event.nonce or event.revision <= message.drawn:
        return None
    return Transition(thread.evolve(progress=message.evolve(channel=event.channel, ts=event.ts, drawn=event.revision)))
