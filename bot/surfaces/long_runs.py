"""Progress messages of long runs: one for each question, posted once, updated until it matches the document.

Looked up by its nonce before it is posted after a restart or a doubt, like a card (`surfaces/cards`).
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from bot.errors import Refused, TriageError, Uncertain
from bot.models.thread_event import ProgressDrawn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.models.thread import Thread
    from bot.ports.effects import ThreadQueue
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat
    from bot.surfaces.card_view import Pictures

log = logging.getLogger(__name__)

PROGRESS = "triage_progress"
"""`event_type` of such a message's metadata."""

EVERY = 3.0
"""Seconds between two updates while the work continues."""

_AGAIN = 20.0
"""Seconds until a failed update is tried again."""


@dataclass(kw_only=True)
class LongRuns:
    """Sender of progress messages. `queue_of` returns the channel of a thread's card, if it is no direct message."""

    chat: Chat
    clock: Clock
    pictures: Pictures
    new_id: Callable[[], str]
    threads: ThreadQueue
    queue_of: Callable[[Thread], Awaitable[str | None]]
    _newest: dict[str, Thread] = field(default_factory=dict)
    _drawing: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _places: dict[str, tuple[str, str]] = field(default_factory=dict)
    _doubtful: set[str] = field(default_factory=set)

    def redraw(self, thread: Thread, *, look_up: bool = False) -> None:
        """Update the message of this thread soon, if it has one."""
        message = thread.progress
        if message is None or message.drawn >= thread.revision:
            return
        if look_up and message.ts is None:
            self._doubtful.add(message.nonce)
        known = self._newest.get(message.nonce)
        if known is None or known.revision <= thread.revision:
            self._newest[message.nonce] = thread
        if message.nonce not in self._drawing:
            task = asyncio.create_task(self._draw_all(message.nonce), name=f"progress {thread.thread_id}")
            self._drawing[message.nonce] = task

    async def stop(self) -> None:
        """Stop; the next start continues."""
        tasks = [*self._drawing.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _draw_all(self, nonce: str) -> None:
        try:
            while thread := self._newest.pop(nonce, None):
                try:
                    await self._draw(thread, nonce)
                    if thread.is_worked_on:
                        await self.clock.sleep(EVERY)  # changes in the meantime are shown together
                except Refused as problem:
                    log.error("thread %s: its progress cannot be shown: %s", thread.thread_id, problem)
                except TriageError as problem:
                    if isinstance(problem, Uncertain):
                        self._doubtful.add(nonce)
                    log.warning("thread %s: progress: %s; again in %.0f s", thread.thread_id, problem, _AGAIN)
                    self._newest.setdefault(nonce, thread)
                    await self.clock.sleep(_AGAIN)
        finally:
            del self._drawing[nonce]

    async def _draw(self, thread: Thread, nonce: str) -> None:
        channel, ts = await self._place(thread, nonce)
        metadata = {"event_type": PROGRESS, "event_payload": {"nonce": nonce}}
        shown = await self.pictures.long_run(thread)
        if ts:
            await self.chat.update(channel=channel, ts=ts, metadata=metadata, **shown)
        elif thread.is_worked_on:
            ts = await self.chat.post(channel=channel, metadata=metadata, **shown)
        if ts:
            self._places[nonce] = (channel, ts)
        drawn = ProgressDrawn(
            at=self.clock.now(),
            fresh=self.new_id(),
            nonce=nonce,
            channel=channel if ts else None,
            ts=ts,
            revision=thread.revision,
        )
        self.threads.tell(thread.thread_id, drawn)

    async def _place(self, thread: Thread, nonce: str) -> tuple[str, str | None]:
        """Return its channel, and its ts if it exists."""
        if nonce in self._places:
            return self._places[nonce]
        message = thread.progress
        if message and message.channel and message.ts:
            return message.channel, message.ts
        channel = await self.queue_of(thread) or await self.chat.open_dm(thread.operator)
        if nonce not in self._doubtful:
            return channel, None
        asked = thread.original_message_id
        look = partial(self.chat.find_in_channel, channel=channel, oldest=asked, event_type=PROGRESS, nonce=nonce)
        found = await look()
        if found is None:  # a request of a dead process may still arrive
            await self.clock.sleep(5.0)
            found = await look()
        self._doubtful.discard(nonce)
        return channel, found
