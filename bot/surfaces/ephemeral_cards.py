"""Ephemeral cards: a card shown to one person in the channel of the question or beside another list.

Slack may lose such a message and keeps it on one screen only, so nothing depends on it: the document is the record, and
the card in the direct message is permanent. A press on an ephemeral card brings a `response_url`, through which it is
changed to the outcome.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.models.thread_event import NudgeLost
from bot.runtime.background_tasks import cancel_all
from bot.surfaces.active_threads import active_thread
from bot.surfaces.response_urls import ResponseUrls

if TYPE_CHECKING:
    from bot.models.interaction import CardPress
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat, History, Presence
    from bot.surfaces.card_view import CardRenderer

log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class EphemeralCards:
    """Cards shown to one person. The addresses are lost with the process, and so are these cards."""

    chat: Chat
    history: History
    presence: Presence
    pictures: CardRenderer
    clock: Clock
    _newest: dict[tuple[str, str], Thread] = field(default_factory=dict)
    _drawing: dict[tuple[str, str], asyncio.Task[None]] = field(default_factory=dict)
    _addresses: ResponseUrls = field(init=False)

    def __post_init__(self) -> None:
        """Start without any address."""
        self._addresses = ResponseUrls(clock=self.clock)

    async def notify_operator(self, thread: Thread) -> NudgeLost | None:
        """Show the card to its operator in the channel of the question; return an event if that is impossible.

        Slack accepts the call for absent people, too, and shows it to nobody: so their presence is checked first.
        """
        try:
            if not await self.presence.is_active(thread.operator):
                return self._build_lost(thread)
            thread_ts = await active_thread(self.history, thread)
            picture = await self.pictures.render_card(thread, thread.operator)
            await self.chat.post_ephemeral(channel=thread.chat_id, user=thread.operator, thread_ts=thread_ts, **picture)
        except TriageError as problem:
            log.info("thread %s: its operator was not told in the channel: %s", thread.thread_id, problem)
            return self._build_lost(thread)
        return None

    def _build_lost(self, thread: Thread) -> NudgeLost:
        draft_id = thread.draft_pending.draft_id if thread.draft_pending else ""
        return NudgeLost(at=self.clock.now(), fresh=self.clock.new_id(), draft_id=draft_id)

    async def show_copy(self, thread: Thread, user: str) -> None:
        """Show the card to somebody other than its operator, in their direct message."""
        channel = await self.chat.open_dm(user)
        await self.chat.post_ephemeral(channel=channel, user=user, **await self.pictures.render_card(thread, user))

    def remember_response_url(self, press: CardPress) -> None:
        """Remember the `response_url` of a press on an ephemeral card."""
        self._addresses.remember((press.thread_id, press.user_id), press.response_url)

    def redraw(self, thread: Thread) -> None:
        """Update the pressed ephemeral cards to this document soon."""
        for key in [key for key in self._addresses.keys if key[0] == thread.thread_id]:
            newest = self._newest.get(key)
            if newest is None or thread.revision >= newest.revision:
                self._newest[key] = thread
            if key not in self._drawing:
                self._drawing[key] = asyncio.create_task(self._draw(key), name=f"nudge {thread.thread_id}")

    async def stop(self) -> None:
        """Stop changing them."""
        await cancel_all(self._drawing.values())

    async def _draw(self, key: tuple[str, str]) -> None:
        try:
            while (thread := self._newest.pop(key, None)) and (url := self._address(key, thread)):
                await self.chat.respond(url=url, **await self.pictures.render_card(thread, key[1]))
                if not thread.is_open:
                    self._addresses.forget(key)
        except TriageError as problem:  # it stays unchanged; a press on it reports the current state
            self._addresses.forget(key)
            log.info("thread %s: an ephemeral card could not be changed: %s", key[0], problem)
        except Exception:
            log.exception("thread %s: an ephemeral card failed", key[0])
        finally:
            del self._drawing[key]

    def _address(self, key: tuple[str, str], thread: Thread) -> str | None:
        """Return an address; the last use of each is reserved for the outcome."""
        return self._addresses.use(key, spare=int(thread.is_open))
