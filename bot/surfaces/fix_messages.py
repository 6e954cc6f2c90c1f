"""Messages of fixes: one for each, posted once its process has ended, updated until it matches the document.

It goes to the person who asked for the fix, or to the card channel. Looked up by its nonce before it is posted after a
restart or a doubt, like a card (`surfaces/cards`).
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.errors import Refused, TriageError, Uncertain
from bot.models.fix_event import FixShown
from bot.runtime.background_tasks import cancel_all

if TYPE_CHECKING:
    from bot.models.fix import Fix
    from bot.models.thread import Thread
    from bot.ports.effects import ThreadQueue
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat
    from bot.surfaces.card_channel import CardChannel
    from bot.surfaces.card_view import CardRenderer

log = logging.getLogger(__name__)

FIX = "triage_fix"
"""`event_type` of such a message's metadata."""
_RETRY_SECONDS = 20.0
"""Seconds until a failed update is tried again."""


@dataclass(kw_only=True)
class FixMessages:
    """Sender of messages. `shared` is the channel for cards that are not in a direct message."""

    chat: Chat
    clock: Clock
    pictures: CardRenderer
    threads: ThreadQueue
    shared: CardChannel
    search_delay_seconds: float = 5.0
    """Seconds until a message posted by an earlier process can be found."""
    _newest: dict[str, Thread] = field(default_factory=dict)
    _drawing: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _places: dict[str, tuple[str, str]] = field(default_factory=dict)
    _doubtful: set[str] = field(default_factory=set)

    def redraw(self, thread: Thread, *, look_up: bool = False) -> None:
        """Update the message of this thread's fix soon, if it has one."""
        fix = thread.fix
        if fix is None or not fix.is_behind:
            return
        nonce = fix.card.nonce
        if look_up and fix.card.ts is None:
            self._doubtful.add(nonce)
        newest = self._newest.get(nonce)
        if newest is None or newest.version <= thread.version:
            self._newest[nonce] = thread
        if nonce not in self._drawing:
            self._drawing[nonce] = asyncio.create_task(self._draw_all(nonce), name=f"fix {thread.thread_id}")

    async def stop(self) -> None:
        """Stop; the next start continues."""
        await cancel_all(self._drawing.values())

    async def _draw_all(self, nonce: str) -> None:
        try:
            while thread := self._newest.pop(nonce, None):
                try:
                    if thread.fix:
                        await self._draw(thread, thread.fix)
                except Refused as problem:
                    log.error("thread %s: its fix cannot be shown: %s", thread.thread_id, problem)
                except TriageError as problem:
                    if isinstance(problem, Uncertain):
                        self._doubtful.add(nonce)
                    wait = max(getattr(problem, "after", 0.0), _RETRY_SECONDS)
                    log.warning("thread %s: its fix: %s; again in %.0f s", thread.thread_id, problem, wait)
                    self._newest.setdefault(nonce, thread)
                    await self.clock.sleep(wait)
        except Exception:
            log.exception("fix %s failed", nonce)
        finally:
            del self._drawing[nonce]

    async def _draw(self, thread: Thread, fix: Fix) -> None:
        nonce = fix.card.nonce
        channel, ts = await self._find(thread, fix)
        metadata = {"event_type": FIX, "event_payload": {"nonce": nonce}}
        picture = await self.pictures.render_fix(thread)
        if ts is None or not await self._update(channel, ts, metadata, picture):
            ts = await self.chat.post(channel=channel, metadata=metadata, **picture)
        self._places[nonce] = (channel, ts)
        event = FixShown(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            nonce=nonce,
            channel=channel,
            ts=ts,
            revision=fix.revision,
        )
        self.threads.tell(thread.thread_id, event)

    async def _update(self, channel: str, ts: str, metadata: dict[str, Any], picture: dict[str, Any]) -> bool:
        """Update a message; return whether it is there: somebody may have deleted it."""
        try:
            await self.chat.update(channel=channel, ts=ts, metadata=metadata, **picture)
        except Refused as problem:
            if problem.code != "message_not_found":
                raise
            return False
        return True

    async def _find(self, thread: Thread, fix: Fix) -> tuple[str, str | None]:
        """Return its channel, and its ts if it exists."""
        card = fix.card
        if card.nonce in self._places:
            return self._places[card.nonce]
        if card.channel and card.ts:
            return card.channel, card.ts
        channel = await self.shared.open_for(thread) or await self.chat.open_dm(fix.order.asked_by)
        if card.nonce not in self._doubtful:
            return channel, None
        asked = f"{fix.order.asked_at.timestamp():.6f}"
        oldest = min(thread.original_message_id, asked, key=float)
        look = partial(self.chat.find_in_channel, channel=channel, oldest=oldest, event_type=FIX, nonce=card.nonce)
        ts = await look()
        if ts is None:  # a request of a dead process may still arrive
            await self.clock.sleep(self.search_delay_seconds)
            ts = await look()
        self._doubtful.discard(card.nonce)
        return channel, ts
