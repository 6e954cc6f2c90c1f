"""Cards: each open thread's picture in its operator's direct message, redrawn until it matches the document.

One task a thread draws the newest document that it knows; drawings in between are folded together. A card is looked up
by its nonce before it is posted again, so a crash between posting and saving leaves one card, not two.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from blocks.card import card
from blocks.former import former_card
from bot.decide.redact import Redactor
from bot.errors import Refused, RetryLater, TriageError, Uncertain
from bot.models.happening import CardDrawn, CardRetired
from bot.triage.drafts import as_shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models.happening import Happening
    from bot.models.thread import HandOver, Thread
    from bot.ports import Chat, Clock

log = logging.getLogger(__name__)

CARD = "triage_card"
"""`event_type` of a card's metadata."""

_LONGEST_WAIT = 60.0


@dataclass(kw_only=True)
class Cards:
    """Draws cards. `tell` takes the happening that a card was drawn."""

    chat: Chat
    clock: Clock
    new_id: Callable[[], str]
    tell: Callable[[str, Happening], None]
    settling_seconds: float = 5.0
    """How long a card that an earlier process posted may take to appear."""
    redactor: Redactor = field(default_factory=Redactor)
    _newest: dict[str, Thread] = field(default_factory=dict)
    _revisions: dict[str, int] = field(default_factory=dict)
    _drawing: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _places: dict[str, tuple[str, str]] = field(default_factory=dict)
    _doubtful: set[str] = field(default_factory=set)
    _links: dict[str, str] = field(default_factory=dict)

    def redraw(self, thread: Thread, *, look_up: bool = False) -> None:
        """Bring the card up to this document soon; `look_up` when it may have been posted by an earlier process.

        The cards of those who had the question before are told that they have it no longer.
        """
        for hand_over in thread.to_retire:
            self._redraw(thread.evolve(card=hand_over.card, operator=hand_over.before), look_up=look_up)
        self._redraw(thread, look_up=look_up)

    def _redraw(self, thread: Thread, *, look_up: bool) -> None:
        if look_up and thread.card.ts is None:
            self._doubtful.add(thread.card.nonce)
        if thread.revision < self._revisions.get(thread.card.nonce, 0):
            return  # whoever asks read the document before the last change of it
        self._revisions[thread.card.nonce] = thread.revision
        self._newest[thread.card.nonce] = thread
        if thread.card.nonce not in self._drawing:
            task = asyncio.create_task(self._draw_all(thread.card.nonce), name=f"card {thread.thread_id}")
            self._drawing[thread.card.nonce] = task

    async def stop(self) -> None:
        """Stop drawing; what is not drawn is drawn at the next start."""
        tasks = [*self._drawing.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _draw_all(self, nonce: str) -> None:
        wait = 0.5
        try:
            while thread := self._newest.pop(nonce, None):
                try:
                    await self._draw(thread)
                    wait = 0.5
                except Refused as problem:
                    log.error("thread %s: its card cannot be drawn: %s", thread.thread_id, problem)
                except TriageError as problem:
                    wait = max(getattr(problem, "after", 0.0), min(_LONGEST_WAIT, wait * 2))
                    log.warning("thread %s: card: %s; again in %.0f s", thread.thread_id, problem, wait)
                    self._newest.setdefault(nonce, thread)
                    await self.clock.sleep(wait)
        except Exception:
            log.exception("card %s broke", nonce)
        finally:
            del self._drawing[nonce]

    async def _draw(self, thread: Thread) -> None:
        nonce = thread.card.nonce
        if hand_over := next((one for one in thread.hand_overs if one.card.nonce == nonce), None):
            await self._retire(thread, hand_over)
            return
        picture: dict[str, Any] = card(self._without_secrets(thread), link=await self._link(thread))
        metadata = _metadata(thread)
        channel = thread.card.channel or await self.chat.open_dm(thread.operator)
        ts = await self._place(thread, channel)
        if ts is not None:
            try:
                await self.chat.update(channel=channel, ts=ts, metadata=metadata, **picture)
            except Refused as problem:
                if problem.code != "message_not_found":
                    raise
                ts = None  # somebody deleted the card: the operator gets another
        if ts is None:
            ts = await self._post(nonce, channel, picture=picture, metadata=metadata)
        self._places[nonce] = (channel, ts)
        drawn = CardDrawn(
            at=self.clock.now(), fresh=self.new_id(), nonce=nonce, channel=channel, ts=ts, revision=thread.revision
        )
        self.tell(thread.thread_id, drawn)
        if not thread.is_open:
            self._links.pop(thread.thread_id, None)
            self._places.pop(nonce, None)

    async def _retire(self, thread: Thread, hand_over: HandOver) -> None:
        """The last drawing of a card whose operator has the question no longer; one that is not there stays so."""
        channel = thread.card.channel or await self.chat.open_dm(hand_over.before)
        if ts := await self._place(thread, channel):
            picture = former_card(self._without_secrets(thread), hand_over, link=await self._link(thread))
            try:
                await self.chat.update(channel=channel, ts=ts, metadata=_metadata(thread), **picture)
            except Refused as problem:
                log.warning("thread %s: the card of before stays as it is: %s", thread.thread_id, problem)
        self._places.pop(thread.card.nonce, None)
        retired = CardRetired(at=self.clock.now(), fresh=self.new_id(), nonce=thread.card.nonce)
        self.tell(thread.thread_id, retired)

    def _without_secrets(self, thread: Thread) -> Thread:
        return as_shown(thread, self.redactor)

    async def _post(self, nonce: str, channel: str, *, picture: dict[str, Any], metadata: dict[str, Any]) -> str:
        try:
            return await self.chat.post(channel=channel, metadata=metadata, **picture)
        except Uncertain as doubt:
            self._doubtful.add(nonce)
            raise RetryLater(str(doubt), after=5.0) from doubt

    async def _place(self, thread: Thread, channel: str) -> str | None:
        """The ts of the card where it stands already."""
        nonce = thread.card.nonce
        if thread.card.ts:
            return thread.card.ts
        if nonce in self._places:
            return self._places[nonce][1]
        if nonce not in self._doubtful:
            return None
        asked = thread.original_message_id  # by Slack's clock, as the card's own ts; this machine's may be wrong
        look = partial(self.chat.find_in_channel, channel=channel, oldest=asked, event_type=CARD, nonce=nonce)
        found = await look()
        if found is None:  # a request of a process that died may still be on its way
            await self.clock.sleep(self.settling_seconds)
            found = await look()
        self._doubtful.discard(nonce)
        return found

    async def _link(self, thread: Thread) -> str:
        if thread.thread_id not in self._links:
            try:
                link = await self.chat.permalink(channel=thread.chat_id, ts=thread.original_message_id)
            except Refused:  # the question was deleted
                return f"slack://channel?team={thread.team_id}&id={thread.chat_id}"
            self._links[thread.thread_id] = link
        return self._links[thread.thread_id]


def _metadata(thread: Thread) -> dict[str, Any]:
    """By what a card is found again."""
    return {"event_type": CARD, "event_payload": {"thread_id": thread.thread_id, "nonce": thread.card.nonce}}
