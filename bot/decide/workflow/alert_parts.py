"""Several alerts of one thread: each fires and ends on its own, and the thread's alert is over when all of them are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.alerts.fingerprint import find_same, is_same_alert
from bot.models.alert import MOST_CHANGES, AlertChange, AlertPart

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.models.alert import Alert, AlertRecord, AlertState
    from bot.models.incident_event import AlertResolved
    from bot.models.thread_event import MessageAdded

MOST_PARTS = 200
"""Alerts that one thread tells apart."""


def fire_parts(record: AlertRecord, event: MessageAdded) -> tuple[AlertPart, ...] | None:
    """Return the alerts of a thread after a message that some of them fire, or further ones; `None` for a thread and
    message about one alert."""
    message = event.message
    if message.alert is None or not (record.parts or message.alert.others):
        return None
    parts = list(record.parts) or [
        AlertPart(alert=record.alert, recovered_at=record.recovered_at, changes=record.changes)
    ]
    firing = [alert for alert in message.alert.each if alert.state == "firing"]
    if not message.alert.group:  # without a name: about all of them
        firing = [part.alert for part in parts]
    for alert in firing:
        number = _find(parts, alert)
        if number is None:
            if len(parts) < MOST_PARTS:
                parts.append(AlertPart(alert=alert, changes=with_change((), message.message_id, event.at, "firing")))
        elif not is_counted(parts[number].changes, event):
            changes = with_change(parts[number].changes, message.message_id, message.create_time, "firing")
            parts[number] = AlertPart(alert=alert, changes=changes)
    return tuple(parts)


def end_parts(record: AlertRecord, event: AlertResolved) -> tuple[AlertPart, ...]:
    """Return the alerts of a thread after the end of one of them, or of all where the end names none."""
    parts = list(record.parts)
    if event.alert is None or not event.alert.group:
        ended = list(range(len(parts)))
    else:
        waiting = [part if part.recovered_at is None else None for part in parts]
        number = _find(waiting, event.alert)
        ended = [] if number is None else [number]
    for number in ended:
        part = parts[number]
        fired = [change.message_id for change in part.changes if change.state == "firing"]
        if part.recovered_at is None and not any(float(event.message_id) < float(ts) for ts in fired):
            changes = with_change(part.changes, event.message_id, event.at, "resolved")
            parts[number] = part.evolve(recovered_at=event.at, changes=changes)
    return tuple(parts)


def is_counted(changes: Sequence[AlertChange], event: MessageAdded) -> bool:
    """Return whether a message was counted, or is older than the alert's end."""
    message = event.message
    same = [change for change in changes if change.message_id == message.message_id]
    if same:
        return same[-1].state == "firing"  # else it was edited back
    ts = float(message.message_id)
    if any(change.state == "resolved" and float(change.message_id) > ts for change in changes):
        return True
    return event.replayed and any(float(change.message_id) >= ts for change in changes)


def with_change(
    changes: tuple[AlertChange, ...], message_id: str, at: datetime, state: AlertState
) -> tuple[AlertChange, ...]:
    """Return the last notifications with a further one."""
    return (*changes, AlertChange(at=at, state=state, message_id=message_id))[-MOST_CHANGES:]


def _find(parts: Sequence[AlertPart | None], alert: Alert) -> int | None:
    """Return the place of an alert among these; `None` if none or several may be it."""
    known = [(str(number), part.alert) for number, part in enumerate(parts) if part]
    same = find_same(known, alert)
    if same is not None:
        return int(same)
    fitting = [number for number, known_alert in known if is_same_alert(known_alert, alert)]
    return int(fitting[0]) if fitting and alert.state == "firing" else None
