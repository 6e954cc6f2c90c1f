"""Reminders: one message to an operator for all that waits for them, however many cards are due to be reminded of.

At most one in the interval of the settings, in memory: after a restart another one may come sooner. The one before
goes, so that a direct message holds one reminder at most, and none once nothing waits any more.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from blocks.reminder import reminder
from bot.decide.redact import Redactor
from bot.errors import TriageError, Unreadable
from bot.triage.drafts import with_safe_question

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models.thread import Thread
    from bot.ports import Clock, Store
    from bot.slack_ports import Chat
    from bot.triage.open_threads import OpenThreads

log = logging.getLogger(__name__)

REMINDER = "triage_reminder"
"""`event_type` of a reminder's metadata."""

SHOWN = 5
"""Questions that one lists."""

_NEARLY = timedelta(seconds=30)
"""How much sooner than the interval the next one may come: between the moment it is due and the post lies some time."""


@dataclass(kw_only=True)
class Reminders:
    """Tells operators what waits. `url` is the workspace's address, `interval` the least time between two reminders."""

    chat: Chat
    store: Store
    clock: Clock
    open_threads: Callable[[], OpenThreads]
    url: str
    interval: timedelta
    redactor: Redactor = field(default_factory=Redactor)
    _last: dict[str, datetime] = field(default_factory=dict)
    _standing: dict[str, tuple[str, str]] = field(default_factory=dict)
    _clearing: set[asyncio.Task[None]] = field(default_factory=set)

    async def remind(self, thread: Thread) -> None:
        """Remind the operator of this thread, unless they have just been reminded of all of theirs."""
        user, now = thread.operator, self.clock.now()
        last = self._last.get(user)
        if last and timedelta() <= now - last < max(self.interval - _NEARLY, self.interval / 2):
            return
        self._last[user] = now
        waiting = self.open_threads().undecided(user)
        threads = [found for name in waiting[:SHOWN] if (found := await self._load(name))]
        if not threads:
            return
        try:
            channel = await self.chat.open_dm(user)
            picture = reminder(threads, of=len(waiting), url=self.url, now=now)
            metadata = {"event_type": REMINDER, "event_payload": {"kind": "notice"}}
            ts = await self.chat.post(channel=channel, metadata=metadata, **picture)
        except TriageError as problem:
            log.warning("%s was not reminded: %s", user, problem)
            return
        await self._clear(user)
        self._standing[user] = (channel, ts)

    def changed(self) -> None:
        """Take the reminder of every operator away for whom nothing waits any more."""
        for user in self._standing:
            if not self.open_threads().waits_for(user):
                task = asyncio.create_task(self._clear(user), name="reminder")
                self._clearing.add(task)
                task.add_done_callback(self._clearing.discard)

    async def _clear(self, user: str) -> None:
        standing = self._standing.pop(user, None)
        if standing is None:
            return
        channel, ts = standing
        try:
            await self.chat.delete(channel=channel, ts=ts)
        except TriageError as problem:
            log.info("an old reminder of %s stays: %s", user, problem)

    async def _load(self, name: str) -> Thread | None:
        try:
            thread = await self.store.load(name)
        except Unreadable:
            return None
        return thread and with_safe_question(thread, self.redactor)
