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
from bot.models.thread_event import ProgressRendered
from bot.runtime.background_tasks import cancel_all

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.ports.effects import ThreadQueue
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat
    from bot.surfaces.card_channel import CardChannel
    from bot.surfaces.card_view import CardRenderer

log = logging.getLogger(__name__)

PROGRESS = "triage_progress"
"""`event_type` of such a message's metadata."""

EVERY = 3.0
"""Seconds between two updates while the work continues."""

_RETRY_SECONDS = 20.0
"""Seconds until a failed update is tried again."""


@dataclass(kw_only=True)
class LongRuns:
    """Sender of progress messages. `shared` is the channel for cards that are not in a direct message."""

    chat: Chat
    clock: Clock
    pictures: CardRenderer
    threads: ThreadQueue
    shared: CardChannel
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
        newest = self._newest.get(message.nonce)
        if newest is None or newest.revision <= thread.revision:
            self._newest[message.nonce] = thread
        if message.nonce not in self._drawing:
            task = asyncio.create_task(self._draw_all(message.nonce), name=f"progress {thread.thread_id}")
            self._drawing[message.nonce] = task

    async def stop(self) -> None:
        """Stop; the next start continues."""
        await cancel_all(self._drawing.values())

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
                    log.warning("thread %s: progress: %s; again in %.0f s", thread.thread_id, problem, _RETRY_SECONDS)
                    self._newest.setdefault(nonce, thread)
                    await self.clock.sleep(_RETRY_SECONDS)
        finally:
            del self._drawing[nonce]

    async def _draw(self, thread: Thread, nonce: str) -> None:
        channel, ts = await self._find_message(thread, nonce)
        metadata = {"event_type": PROGRESS, "event_payload": {"nonce": nonce}}
        picture = await self.pictures.render_long_run(thread)
        if ts:
            await self.chat.update(channel=channel, ts=ts, metadata=metadata, **picture)
        elif thread.is_worked_on:
            ts = await self.chat.post(channel=channel, metadata=metadata, **picture)
        if ts:
            self._places[nonce] = (channel, ts)
        event = ProgressRendered(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            nonce=nonce,
            channel=channel if ts else None,
            ts=ts,
            revision=thread.revision,
        )
        self.threads.tell(thread.thread_id, event)

    async def _find_message(self, thread: Thread, nonce: str) -> tuple[str, str | None]:
        """Return its channel, and its ts if it exists."""
        if nonce in self._places:
            return self._places[nonce]
        message = thread.progress
        if message and message.channel and message.ts:
            return message.channel, message.ts
        channel = await self.shared.open_for(thread) or await self.chat.open_dm(thread.operator)
        if nonce not in self._doubtful:
            return channel, None
        question_ts = thread.original_message_id
        look = partial(self.chat.find_in_channel, channel=channel, oldest=question_ts, event_type=PROGRESS, nonce=nonce)
        message_ts = await look()
        if message_ts is None:  # a request of a dead process may still arrive
            await self.clock.sleep(5.0)
            message_ts = await look()
        self._doubtful.discard(nonce)
        return channel, message_ts
