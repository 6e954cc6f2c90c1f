"""Reminders: one message to an operator about all their pending decisions, however many reminders are due.

At most one in the configured interval. It replaces the previous one, so that a direct message contains at most one
reminder, and none when nothing is pending. The posted reminders and their times are kept in `reminders.json`.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from blocks.reminder import build_reminder
from bot.decide.redaction.redactor import Redactor
from bot.errors import TriageError, Unreadable
from bot.runtime.offload import run_offloaded
from bot.surfaces.draft_payload import redact_question

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock, JsonFile, Store
    from bot.ports.slack import Chat
    from bot.ports.waiting_threads import WaitingThreads

log = logging.getLogger(__name__)

REMINDER = "triage_reminder"
"""`event_type` of a reminder's metadata."""

MAX_LISTED = 5
"""Questions listed in one reminder."""

_NEARLY = timedelta(seconds=30)
"""Tolerance for the interval, since posting takes some time after the reminder is due."""


@dataclass(kw_only=True)
class Reminders:
    """Sender of reminders. `url` is the workspace's address, `interval` the minimal time between two reminders."""

    chat: Chat
    store: Store
    clock: Clock
    open_threads: WaitingThreads
    url: str
    interval: timedelta
    state_file: JsonFile
    redactor: Redactor = field(default_factory=Redactor)
    _last: dict[str, datetime] = field(default_factory=dict)
    _standing: dict[str, tuple[str, str]] = field(default_factory=dict)
    _is_read: bool = False
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)
    _clearing: set[asyncio.Task[None]] = field(default_factory=set)

    async def remind(self, thread: Thread) -> None:
        """Remind the operator of this thread, unless they were just reminded of all of theirs."""
        await self._read()
        user, now = thread.operator, self.clock.now()
        last = self._last.get(user)
        if last and timedelta() <= now - last < self.interval - min(_NEARLY, self.interval / 10):
            return
        self._last[user] = now
        waiting = self.open_threads.list_undecided(user)
        threads = [document for name in waiting[:MAX_LISTED] if (document := await self._load(name))]
        if not threads:
            return
        await self._save()  # before the post: after a crash it is not posted twice
        try:
            channel = await self.chat.open_dm(user)
            picture = build_reminder(threads, of=len(waiting), url=self.url, now=now)
            metadata = {"event_type": REMINDER, "event_payload": {"kind": "notice"}}
            ts = await self.chat.post(channel=channel, metadata=metadata, **picture)
        except TriageError as problem:
            log.warning("%s was not reminded: %s", user, problem)
            return
        await self._clear(user)
        self._standing[user] = (channel, ts)
        await self._save()

    def note_change(self) -> None:
        """Delete the reminders of operators who have nothing pending any more."""
        if all(self.open_threads.waits_for(user) for user in self._standing):
            return
        task = asyncio.create_task(self._clear_done(), name="reminder")
        self._clearing.add(task)
        task.add_done_callback(self._clearing.discard)

    async def begin(self) -> None:
        """Restore the saved state once all threads are known, and delete outdated reminders."""
        await self._read()
        await self._clear_done()

    async def _clear_done(self) -> None:
        users = [user for user in self._standing if not self.open_threads.waits_for(user)]
        for user in users:
            await self._clear(user)
        if users:
            await self._save()

    async def _clear(self, user: str) -> None:
        standing = self._standing.pop(user, None)
        if standing is None:
            return
        channel, ts = standing
        try:
            await self.chat.delete(channel=channel, ts=ts)
        except TriageError as problem:
            log.info("an old reminder of %s stays: %s", user, problem)

    async def _read(self) -> None:
        """Restore the saved state, once."""
        async with self._reading:
            if self._is_read:
                return
            for user, entry in (await self.state_file.read()).items():
                try:
                    self._last[user] = datetime.fromisoformat(entry["last"])
                    if entry.get("ts"):
                        self._standing[user] = (str(entry["channel"]), str(entry["ts"]))
                except (KeyError, TypeError, ValueError, AttributeError):
                    log.warning("the saved reminder of %s is invalid", user)
            self._is_read = True

    async def _save(self) -> None:
        entries: dict[str, Any] = {user: {"last": last.isoformat()} for user, last in self._last.items()}
        for user, (channel, ts) in self._standing.items():
            entries[user] |= {"channel": channel, "ts": ts}
        try:
            await self.state_file.write(entries)
        except TriageError as problem:
            log.warning("reminders could not be saved for the next start: %s", problem)

    async def _load(self, name: str) -> Thread | None:
        try:
            thread = await self.store.load(name)
        except Unreadable:
            return None
        return thread and await run_offloaded(redact_question, thread, self.redactor)
