"""Index of the alerts of threads, by channel and name, to find the thread of a notification. Rebuilt at start."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from bot.decide.alerts.fingerprint import find_same

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.alert import Alert
    from bot.models.settlement import ClosedThread
    from bot.models.thread import Thread

CONTINUED_FOR = timedelta(hours=1)
"""Time after its end in which a thread is continued by the same alert."""
MOST_CLOSED = 5_000
"""Closed threads remembered; the first ones closed are forgotten first."""


class _Entry(NamedTuple):
    alerts: tuple[Alert, ...]
    keys: frozenset[tuple[str, str]]
    """Channel, and an alert's name."""
    ended_at: datetime | None
    """Time of the thread's end; `None` while it is open."""
    sender_id: str
    """Program that began the thread; empty if that is not remembered."""


class AlertIndex:
    """Alerts of open threads, and of those that ended lately."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._threads: dict[tuple[str, str], dict[str, None]] = {}
        self._closed: dict[str, None] = {}

    def note(self, thread: Thread) -> None:
        """Index a saved document."""
        if thread.alert is None:
            return
        if thread.outcome == "withdrawn":  # its message was deleted
            self.forget(thread.thread_id)
            return
        ended = None if thread.is_open else max(filter(None, (thread.closed_at, thread.alert.recovered_at)))
        root = thread.original_message_id
        sender_id = next((m.sender_id for m in thread.messages if m.message_id == root), "")
        self._put(thread.thread_id, thread.chat_id, thread.alert.alerts, ended, sender_id)

    def remember(self, closed: ClosedThread) -> None:
        """Index a closed thread that was not parsed completely."""
        if closed.alert and closed.ended_at:
            self._put(closed.thread_id, closed.thread_id.split("-")[1], closed.alert.alerts, closed.ended_at)

    def find(self, channel: str, alert: Alert, home: str, sender_id: str, now: datetime) -> str | None:
        """Return the thread of a notification: an open one first, else one that ended within the last hour.

        `home` is the thread that the message is in or would open; a message without a name of its own is about that,
        if the same program began it.
        """
        names = [name for name in self._threads.get((channel, alert.group), ()) if self._is_current(name, now)]
        for is_open in (True, False):
            known = [
                (name, each) for name in names if self._is_open(name) is is_open for each in self._entries[name].alerts
            ]
            if same := find_same(known, alert):
                return same
        if alert.is_weak:
            return None
        is_of_thread = not alert.group and home in self._entries and self._is_current(home, now)
        return home if is_of_thread and self._entries[home].sender_id in ("", sender_id) else None

    def _put(
        self, name: str, channel: str, alerts: tuple[Alert, ...], ended_at: datetime | None, sender_id: str = ""
    ) -> None:
        self.forget(name)
        keys = frozenset((channel, alert.group) for alert in alerts)
        self._entries[name] = _Entry(alerts, keys, ended_at, sender_id)
        for key in keys:
            self._threads.setdefault(key, {})[name] = None
        if ended_at:
            self._closed[name] = None
            if len(self._closed) > MOST_CLOSED:
                self.forget(next(iter(self._closed)))

    def forget(self, name: str) -> None:
        """Forget a thread."""
        self._closed.pop(name, None)
        entry = self._entries.pop(name, None)
        if entry is None:
            return
        for key in entry.keys:
            names = self._threads[key]
            names.pop(name, None)
            if not names:
                del self._threads[key]

    def _is_open(self, name: str) -> bool:
        return self._entries[name].ended_at is None

    def _is_current(self, name: str, now: datetime) -> bool:
        ended = self._entries[name].ended_at
        return ended is None or now - ended <= CONTINUED_FOR
