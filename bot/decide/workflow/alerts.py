"""Alerts of other programs: a repeated alert joins its thread's question, and its end closes what waits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.decide.alerts.fingerprint import is_same_alert
from bot.decide.workflow.alert_parts import end_parts, fire_parts, is_counted, with_change
from bot.decide.workflow.messages import add_message, build_thread_message, in_order
from bot.decide.workflow.next_question import start_next_question, with_unread
from bot.decide.workflow.precedence import without_alert
from bot.decide.workflow.recovering import close_recovered
from bot.decide.workflow.steps import Transition, change_thread
from bot.models.alert import begin_record
from bot.models.incident_event import AlertAcknowledged, AlertResolved
from bot.models.thread_event import MessageAdded

if TYPE_CHECKING:
    from bot.decide.workflow.steps import WorkflowLimits
    from bot.models.alert import Alert, AlertRecord, AlertState
    from bot.models.message import Message
    from bot.models.thread import Thread
    from bot.models.thread_event import ThreadEvent

MOST_MESSAGES = 20
"""Messages of one alert that a question keeps; further ones are only counted."""


def is_alert(thread: Thread, message: Message) -> bool:
    """Return whether a message states the alert of its thread, or one of its own in a reply."""
    return _states_alert(thread, message) or _states_other_alert(thread, message)


def fire(thread: Thread, event: MessageAdded, limits: WorkflowLimits) -> Transition | None:
    """Apply a message that an alert is firing: the thread's own, or another one."""
    is_own = _states_alert(thread, event.message)
    return _fire_again(thread, event, limits) if is_own else _fire_other(thread, event, limits)


def _states_alert(thread: Thread, message: Message) -> bool:
    """Return whether a message states the alert of its thread; one that may be a notice must name the same one."""
    if thread.alert is None or message.alert is None:
        return False
    is_named_reply = message.thread_id is not None and bool(message.alert.group) and message.alert.state == "firing"
    return not (message.alert.is_weak or is_named_reply) or _names_same(thread.alert, message.alert)


def _names_same(record: AlertRecord, alert: Alert) -> bool:
    """Return whether a message names one of a thread's alerts."""
    return any(is_same_alert(known, each) for known in record.alerts for each in alert.each)


def _states_other_alert(thread: Thread, message: Message) -> bool:
    """Return whether a reply states an alert of its own, as those of a daily thread do."""
    alert = message.alert
    is_own = alert is not None and alert.state == "firing" and bool(alert.group) and not alert.is_weak
    return is_own and message.thread_id is not None and not _states_alert(thread, message)


def _fire_other(thread: Thread, event: MessageAdded, limits: WorkflowLimits) -> Transition | None:
    """Apply another alert in a thread: the next question of a closed one, else part of the open question.

    There it outlives the end of the thread's own alert.
    """
    message = event.message
    is_known = any(m.message_id == message.message_id for m in thread.messages)
    if is_known or event.muted or message.alert is None:
        return None
    if thread.status == "closed":
        if thread.outcome in ("taken-over", "withdrawn"):
            return None
        return _open_next(thread, event, begin_record(message.alert, message.message_id, message.create_time), limits)
    step = add_message(thread, event, limits)
    if step is None or step.thread is None:
        return step
    ts = message.message_id
    messages = tuple(m.evolve(is_question=True) if m.message_id == ts else m for m in step.thread.messages)
    return replace(step, thread=step.thread.evolve(messages=messages))


def _fire_again(thread: Thread, event: MessageAdded, limits: WorkflowLimits) -> Transition | None:
    """Apply a further message that a thread's alert is firing.

    It is counted on the card. Within the pause, or without anything new, it changes no run and no draft.
    """
    record, alert, message = thread.alert, event.message.alert, event.message
    assert record is not None  # noqa: S101  # checked by the caller; narrows the type
    assert alert is not None  # noqa: S101  # the same
    parts = fire_parts(record, event)
    if is_counted(record.changes, event) if parts is None else parts == record.parts:
        return None
    is_edited_back = any(change.message_id == message.message_id for change in record.changes)
    fired_at = event.at if is_edited_back else message.create_time
    is_further = len(parts or ()) > len(record.alerts)
    fired = record.evolve(
        alert=alert.evolve(others=()) if fired_at >= record.last_fired_at else record.alert,
        parts=parts or (),
        fired=record.fired + 1,
        last_fired_at=max(record.last_fired_at, fired_at),
        recovered_at=None,
        changes=with_change(record.changes, message.message_id, fired_at, "firing"),
    )
    if thread.status == "closed":
        return _fire_closed(thread, event, fired, limits)
    is_room = len(thread.question_messages) < MOST_MESSAGES
    says_more = is_further or not any(not _says_more(known, alert) for known in (record.alert, *record.alerts))
    if is_room and thread.status == "collecting" and says_more:
        messages = in_order(*thread.messages, build_thread_message(event, limits, thread.question_round))
        return change_thread(thread, event, alert=fired, messages=messages)
    is_pause_over = message.create_time - record.read_at >= limits.alert_pause
    if is_room and is_pause_over and thread.status != "collecting" and says_more:
        updated = thread.evolve(alert=fired.evolve(read_at=message.create_time))
        if step := add_message(updated, event, limits):
            return step
    return change_thread(thread, event, alert=fired)


def apply_alert_news(thread: Thread, event: AlertResolved | AlertAcknowledged) -> Transition | None:
    """Apply the end of a thread's alert, or that somebody works on it.

    The end closes the alert's question, but neither an approved reply nor the question of a person.
    """
    record = thread.alert
    if record is None:
        is_over = isinstance(event, AlertResolved) and thread.status not in ("approved", "in-doubt", "closed")
        return close_recovered(thread, event) if is_over else None
    state: AlertState = "resolved" if isinstance(event, AlertResolved) else "acknowledged"
    if isinstance(event, AlertResolved) and record.parts:
        parts = end_parts(record, event)
        if parts == record.parts:
            return None
        record = record.evolve(parts=parts)
        if any(part.recovered_at is None for part in parts):
            is_closed = thread.status == "closed"
            return Transition(thread.evolve(alert=record)) if is_closed else change_thread(thread, event, alert=record)
    return _apply_news(thread, event, record, state)


def _apply_news(
    thread: Thread, event: AlertResolved | AlertAcknowledged, record: AlertRecord, state: AlertState
) -> Transition | None:
    """Apply news that are about all alerts of a thread."""
    fired = [change.message_id for change in record.changes if change.state == "firing"]
    is_late = any(float(event.message_id) < float(ts) for ts in fired) and not record.parts
    if is_late or record.recovered_at or (state == "acknowledged" and record.acknowledged_at):
        return None
    times = {"recovered_at": event.at} if state == "resolved" else {"acknowledged_at": event.at}
    changes = with_change(record.changes, event.message_id, event.at, state)
    updated = record.evolve(changes=changes, **times)
    if state == "resolved" and thread.set_aside:
        thread = thread.evolve(set_aside=without_alert(thread))
    if thread.status == "closed":
        return Transition(thread.evolve(alert=updated))
    if state == "acknowledged" or thread.status in ("approved", "in-doubt") or not thread.is_about_alert:
        return change_thread(thread, event, alert=updated)
    return close_recovered(thread, event, alert=updated)


def only_counts(before: Thread, after: Thread, event: ThreadEvent) -> bool:
    """Return whether an event only changed the course of an alert, so that no timer of a card starts again."""
    is_of_alert = isinstance(event, AlertAcknowledged | AlertResolved) or (
        isinstance(event, MessageAdded) and event.message.alert is not None
    )
    same = (before.status, before.draft_pending, before.stale) == (after.status, after.draft_pending, after.stale)
    return is_of_alert and same


def _fire_closed(thread: Thread, event: MessageAdded, fired: AlertRecord, limits: WorkflowLimits) -> Transition | None:
    """Continue a thread whose alert had recovered; one that was decided on is only counted until then.

    In one that an operator took over, only a mention starts work again. One that an operator muted goes on once it is
    listened to again; a mute by anybody else hides no alert.
    """
    has_recovered = thread.alert is not None and thread.alert.recovered_at is not None
    goes_on = has_recovered or thread.outcome == "muted"
    is_muted = event.muted and (fired.is_muted or (thread.outcome == "muted" and thread.is_about_alert))
    if is_muted or not goes_on or thread.outcome in ("taken-over", "withdrawn"):
        return Transition(thread.evolve(alert=fired))
    return _open_next(thread, event, fired, limits)


def _open_next(thread: Thread, event: MessageAdded, record: AlertRecord, limits: WorkflowLimits) -> Transition:
    """Start the next question of a closed thread with this alert."""
    number, message = thread.question_round + 1, event.message
    others = tuple(m for m in with_unread(thread, number) if m.message_id != message.message_id)
    changes: dict[str, Any] = {
        "messages": in_order(*others, build_thread_message(event, limits, number)),
        "alert": record.evolve(
            question_round=number, read_at=message.create_time, acknowledged_at=None, is_muted=False
        ),
        "original_sender_id": message.sender.id,
        "anchor": message.message_id,
        "mode": event.mode,
        "operator": event.operator,
        "due_at": event.at + limits.debounce,
    }
    return start_next_question(thread, event, **changes)


def _says_more(known: Alert, new: Alert) -> bool:
    """Return whether a notification names labels, services or code that the last one did not."""
    labels = set(new.labels.items()) - set(known.labels.items())
    return bool(labels or set(new.services) - set(known.services) or set(new.names) - set(known.names))
