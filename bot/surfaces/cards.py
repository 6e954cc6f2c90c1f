"""Cards: a thread shown in its operator's direct message, rendered again until it matches the document.

A card is posted when a decision is requested, so that the message notifies its operator. One task for each card renders
the newest document; intermediate versions and those without a change are skipped. After a press the card is changed at
once through Slack's `response_url`. A card is looked up by its nonce before it is posted again, so a crash between
posting and saving leaves one card, not two; the card that it replaces is deleted first. Depending on the settings,
cards are shown in a private channel instead, or only after an ephemeral card was ignored.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from blocks.external_people import describe_outsiders
from blocks.text import context
from bot.decide.refusals import PERSON, TOO_LARGE, refusal_in_words
from bot.errors import Crowded, Refused, RetryLater, TriageError, Uncertain
from bot.models.thread_event import CardRendered, CardRetired, CardWanted
from bot.runtime.background_tasks import cancel_all
from bot.runtime.retry import sleep_unless
from bot.surfaces.card_changes import CardChanges
from bot.surfaces.card_channel import CardChannel
from bot.surfaces.card_search import card_metadata, search_card

if TYPE_CHECKING:
    from bot.models.card import HandOver
    from bot.models.interaction import CardPress
    from bot.models.thread import Thread
    from bot.ports.access import AccessCheck
    from bot.ports.effects import ThreadQueue
    from bot.ports.outbound import Clock
    from bot.ports.slack import Chat
    from bot.surfaces.card_view import CardRenderer
    from bot.surfaces.task_files import TaskFileWriter

log = logging.getLogger(__name__)

_LONGEST_WAIT = 60.0


@dataclass(kw_only=True)
class Cards:
    """Renderer of all cards in Slack. `tell` receives the event that a card was rendered."""

    chat: Chat
    at_once: Chat
    """The same API for changing existing cards: raises `RetryLater` if a call would have to wait for its turn."""
    clock: Clock
    threads: ThreadQueue
    search_delay_seconds: float = 5.0
    """Seconds until a card posted by an earlier process can be found."""
    pictures: CardRenderer
    tasks: TaskFileWriter | None = None
    """Task files, updated before the card, so that a card recorded as rendered implies that they are up to date."""
    shared: CardChannel = field(default_factory=CardChannel)
    """The channel for cards that do not go to the operator's direct message."""
    access: AccessCheck | None = None
    """Told of cards that do not reach their operator; `None` in tests that need none."""
    _newest: dict[str, Thread] = field(default_factory=dict)
    _revisions: dict[str, int] = field(default_factory=dict)
    _drawing: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _woken: dict[str, asyncio.Event] = field(default_factory=dict)
    """For each card being rendered: set when it was pressed."""
    _places: dict[str, tuple[str, str]] = field(default_factory=dict)
    _doubtful: set[str] = field(default_factory=set)
    _changes: CardChanges = field(init=False)

    def __post_init__(self) -> None:
        """Start without any card."""
        self._changes = CardChanges(chat=self.at_once, clock=self.clock)

    def remember_response_url(self, press: CardPress) -> None:
        """Remember the `response_url` of a press on a card, for changing it immediately."""
        self._changes.remember_response_url(press)
        for nonce, woken in self._woken.items():
            if self._places.get(nonce, ("", ""))[1] == press.message_ts:
                woken.set()

    def redraw(self, thread: Thread, *, look_up: bool = False) -> None:
        """Update the card to this document soon; `look_up` if an earlier process may have posted it.

        The cards of previous operators show the hand-over.
        """
        for hand_over in thread.to_retire:
            self._redraw(thread.evolve(card=hand_over.card, operator=hand_over.before), look_up=look_up)
        self._redraw(thread, look_up=look_up)

    def _redraw(self, thread: Thread, *, look_up: bool) -> None:
        if look_up and thread.card.ts is None and (thread.card.asks or thread.card.drawn == 0):
            self._doubtful.add(thread.card.nonce)
        if thread.revision < self._revisions.get(thread.card.nonce, 0):
            return  # the caller's document is outdated
        self._revisions[thread.card.nonce] = thread.revision
        self._newest[thread.card.nonce] = thread
        if thread.card.nonce not in self._drawing:
            task = asyncio.create_task(self._draw_all(thread.card.nonce), name=f"card {thread.thread_id}")
            self._drawing[thread.card.nonce] = task

    async def stop(self) -> None:
        """Stop rendering; the rest is done at the next start."""
        await cancel_all(self._drawing.values())

    async def _draw_all(self, nonce: str) -> None:
        wait = 0.5
        woken = self._woken[nonce] = asyncio.Event()
        try:
            while thread := self._newest.pop(nonce, None):
                try:
                    await self._draw(thread)
                    wait = 0.5
                except Refused as problem:
                    log.error("thread %s: its card cannot be shown: %s", thread.thread_id, refusal_in_words(problem))
                    if self.access and problem.code in PERSON and self.shared.channel_of(thread) is None:
                        self.access.unreachable(thread.operator, problem.code)
                except TriageError as problem:
                    wait = max(getattr(problem, "after", 0.0), min(_LONGEST_WAIT, wait * 2))
                    level = logging.INFO if isinstance(problem, Crowded) else logging.WARNING
                    log.log(level, "thread %s: card: %s; again in %.0f s", thread.thread_id, problem, wait)
                    self._newest.setdefault(nonce, thread)
                    await sleep_unless(
                        self.clock, wait, unless=woken
                    )  # a press brings a response_url, which need not wait
                    woken.clear()
        except Exception:
            log.exception("card %s failed", nonce)
        finally:
            del self._drawing[nonce], self._woken[nonce]

    async def _draw(self, thread: Thread) -> None:
        nonce = thread.card.nonce
        if hand_over := next((candidate for candidate in thread.hand_overs if candidate.card.nonce == nonce), None):
            await self._retire(thread, hand_over)
            return
        if any(card.nonce == nonce for card in thread.replaced):
            await self._remove(thread)
            return
        if self.tasks:
            await self.tasks.write_now(thread)
        await self._remove_replaced(thread)
        is_to_stand = self._is_to_stand(thread)
        channel, ts = None, None
        if is_to_stand or self._may_stand(thread):
            queue = await self.shared.open_for(thread)
            stands_in = self._places.get(nonce, (thread.card.channel, ""))[0]
            if self.shared.is_closed(stands_in):
                if is_to_stand:
                    self.threads.tell(thread.thread_id, CardWanted(at=self.clock.now(), fresh=self.clock.new_id()))
                return
            channel = stands_in or queue or await self.chat.open_dm(thread.operator)
            ts = await self._draw_at(thread, channel, is_to_stand=is_to_stand)
        if channel and ts:
            self._places[nonce] = (channel, ts)
        event = CardRendered(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            nonce=nonce,
            channel=channel,
            ts=ts,
            revision=thread.revision,
        )
        self.threads.tell(thread.thread_id, event)
        if not thread.is_open:
            self.pictures.forget(thread.thread_id)
            self._forget(nonce)

    async def _draw_at(self, thread: Thread, channel: str, *, is_to_stand: bool) -> str | None:
        """Update the card if it exists, else post it if it is wanted; return its ts.

        If Slack finds it too large, a shorter card is shown.
        """
        try:
            return await self._put(thread, channel, await self._picture(thread), is_to_stand=is_to_stand)
        except Refused as problem:
            if problem.code not in TOO_LARGE:
                raise
            log.warning("thread %s: its card is shortened: %s", thread.thread_id, problem)
        short = await self._picture(thread, is_short=True)
        return await self._put(thread, channel, short, is_to_stand=is_to_stand)

    async def _put(self, thread: Thread, channel: str, picture: dict[str, Any], *, is_to_stand: bool) -> str | None:
        metadata = card_metadata(thread)
        if ts := await self._find_card(thread, channel):
            try:
                await self._changes.change(thread, channel, ts, metadata, picture)
            except Refused as problem:
                if problem.code != "message_not_found":
                    raise
                self._forget(thread.card.nonce)  # somebody deleted the card
            else:
                return ts
        if not is_to_stand:
            return None
        run = thread.progress  # Slack notifies of a broadcast reply as of any message
        under = run.ts if run and run.channel == channel else None
        posted = await self._post(thread.card.nonce, channel, metadata=metadata, broadcast_in=under, **picture)
        self._changes.remember_content(thread.card.nonce, posted, picture)
        return posted

    def _forget(self, nonce: str) -> None:
        """Forget the place of this card."""
        self._places.pop(nonce, None)
        self._changes.forget(nonce)

    def _is_to_stand(self, thread: Thread) -> bool:
        """Return whether its operator needs the card: for a decision, or because they want to see it."""
        if thread.card.wanted:
            return True
        if thread.status not in ("pending-user", "in-doubt") or thread.announce_at or thread.held_low:
            return False
        if self.shared.places.get(thread.chat_id) != "ephemeral" or thread.stale or thread.status == "in-doubt":
            return True
        draft = thread.draft_pending
        return draft is None or thread.nudged != draft.draft_id

    def _may_stand(self, thread: Thread) -> bool:
        """Return whether it may exist already; before a decision is requested, there is no need to look for it."""
        card = thread.card
        is_known = card.nonce in self._places or card.ts is not None
        return is_known or (card.nonce in self._doubtful and (card.asks or not thread.is_open))

    async def _picture(self, thread: Thread, *, is_short: bool = False) -> dict[str, Any]:
        """Render the card; if several people see it, it names its operator."""
        queue = self.shared.channel_of(thread)
        reader = "" if queue else thread.operator
        picture = await self.pictures.render_card(thread, reader, is_short=is_short)
        if queue is None or not thread.is_open:
            return picture
        mention = f"<@{thread.operator}>"
        blocks, below = [*picture["blocks"]], 2 if describe_outsiders(thread) else 1
        blocks.insert(below, context(f"For {mention}."))
        return {"text": f"{mention}: {picture['text']}", "blocks": blocks}

    async def _remove_replaced(self, thread: Thread) -> None:
        """Delete replaced cards as far as Slack allows it now: a decision does not wait for that."""
        is_doubtful = thread.card.nonce in self._doubtful
        for card in thread.replaced:
            before = thread.evolve(card=card, replaced=(card,))
            if card.nonce not in self._drawing:
                try:
                    if is_doubtful:
                        self._doubtful.add(card.nonce)
                    await self._remove(before)
                    continue
                except TriageError as problem:
                    log.info("thread %s: the previous card still exists: %s", thread.thread_id, problem)
            self._redraw(before, look_up=is_doubtful)  # after the running update

    async def _remove(self, thread: Thread) -> None:
        """Delete a replaced card; if that fails, its buttons have no effect."""
        nonce = thread.card.nonce
        channel, ts = self._places.get(nonce) or (thread.card.channel, thread.card.ts)
        if ts is None and nonce in self._doubtful:
            channel = self.shared.channel_of(thread) or await self.chat.open_dm(thread.operator)
            ts = await self._find_card(thread, channel)
        if channel and ts:
            try:
                await self.chat.delete(channel=channel, ts=ts)
            except Refused as problem:
                log.info("thread %s: the previous card is not removed: %s", thread.thread_id, problem)
        self._forget(nonce)
        self._doubtful.discard(nonce)
        self.threads.tell(thread.thread_id, CardRetired(at=self.clock.now(), fresh=self.clock.new_id(), nonce=nonce))

    async def _retire(self, thread: Thread, hand_over: HandOver) -> None:
        """Render the card of a previous operator for the last time; one that does not exist is not posted."""
        try:
            channel = thread.card.channel or await self.chat.open_dm(hand_over.before)
            if ts := await self._find_card(thread, channel):
                picture = await self.pictures.render_retired_card(thread, hand_over)
                await self.chat.update(channel=channel, ts=ts, metadata=card_metadata(thread), **picture)
        except Refused as problem:
            log.warning("thread %s: the previous card stays as it is: %s", thread.thread_id, problem)
        self._forget(thread.card.nonce)
        retired = CardRetired(at=self.clock.now(), fresh=self.clock.new_id(), nonce=thread.card.nonce)
        self.threads.tell(thread.thread_id, retired)

    async def _post(self, nonce: str, channel: str, **message: Any) -> str:
        try:
            return await self.chat.post(channel=channel, **message)
        except Uncertain as doubt:
            self._doubtful.add(nonce)
            raise RetryLater(str(doubt), after=5.0) from doubt

    async def _find_card(self, thread: Thread, channel: str) -> str | None:
        """Return the ts of the card if it exists."""
        nonce = thread.card.nonce
        if nonce in self._places:
            return self._places[nonce][1]
        if thread.card.ts:
            return thread.card.ts
        if nonce not in self._doubtful:
            return None
        card_ts = await search_card(self.chat, self.clock, thread, channel, self.search_delay_seconds)
        self._doubtful.discard(nonce)
        return card_ts
