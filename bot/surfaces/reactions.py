"""Reactions: the bot's emoji under a question, kept in line with the document.

The new one is added before the others are removed, so that a question always has one. One call of each kind runs at a
time, and it uses the newest state when its turn comes: under load intermediate states are skipped, and decided
questions come first. Slack allows more additions than removals, so neither waits for the other. Permanent refusals are
not retried, except for a day after the end of an incident where access to the channel may come back.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.decide.refusals import ACCESS, refusal_in_words
from bot.errors import Refused, RetryLater
from bot.models.thread_event import ReactionsUpdated
from bot.runtime.background_tasks import cancel_all
from bot.surfaces.turn_line import TurnLine

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.models.status_reaction import StatusReaction
    from bot.models.thread import Thread
    from bot.ports.access import CurrentLosses
    from bot.ports.effects import ThreadQueue
    from bot.ports.outbound import Clock
    from bot.ports.slack import ReactionWriter

log = logging.getLogger(__name__)

_LONGEST_WAIT = 60.0
_LATEST = timedelta(days=1)
_DECIDED = ("approved", "in-doubt", "closed")


@dataclass(kw_only=True)
class Reactions:
    """Updater of reactions. `tell` receives the event with the result."""

    writer: ReactionWriter
    clock: Clock
    threads: ThreadQueue
    losses: CurrentLosses | None = None
    """Predicate: the app has the scope for reactions; without it none is added."""
    _newest: dict[str, Thread] = field(default_factory=dict)
    _drawing: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _putting: TurnLine = field(default_factory=TurnLine)
    _taking: TurnLine = field(default_factory=TurnLine)

    def redraw(self, thread: Thread) -> None:
        """Update the reactions to this document soon."""
        newest = self._newest.get(thread.thread_id)
        if newest and newest.version > thread.version:
            return
        if thread.thread_id in self._drawing:
            self._newest[thread.thread_id] = thread
        elif not all(mark.is_done for mark in thread.marks):
            self._newest[thread.thread_id] = thread
            task = asyncio.create_task(self._draw(thread.thread_id), name=f"reactions {thread.thread_id}")
            self._drawing[thread.thread_id] = task

    async def stop(self) -> None:
        """Stop; the rest is done at the next start."""
        await cancel_all(self._drawing.values())

    async def _draw(self, thread_id: str) -> None:
        """Update until there is no newer document."""
        last_thread: Thread | None = None
        placed: dict[tuple[str, str], bool] = {}
        try:
            while last_thread is not (thread := self._newest[thread_id]):
                last_thread = thread
                await self._call_each(thread_id, self._putting, self.writer.add_reaction, placed, wanted=True)
                await self._call_each(thread_id, self._taking, self.writer.remove_reaction, placed, wanted=False)
                standing = tuple(place for place, is_placed in placed.items() if is_placed)
                removed = tuple(place for place, is_placed in placed.items() if not is_placed)
                self.threads.tell(
                    thread_id,
                    ReactionsUpdated(
                        at=self.clock.now(), fresh=self.clock.new_id(), standing=standing, removed=removed
                    ),
                )
        except Exception:
            log.exception("thread %s: its reactions failed", thread_id)
        finally:
            del self._drawing[thread_id], self._newest[thread_id]

    async def _call_each(
        self,
        thread_id: str,
        line: TurnLine,
        call: Callable[..., Awaitable[None]],
        placed: dict[tuple[str, str], bool],
        *,
        wanted: bool,
    ) -> None:
        """Make the calls for the newest document. `placed` holds the results of earlier calls."""
        pause = 0.5
        while True:
            async with line.turn(thread_id, self._is_decided):
                thread = self._newest[thread_id]
                marks = [mark for mark in thread.marks if mark.wanted is wanted]
                left = [mark for mark in marks if placed.get(mark.place, mark.is_done or None) is not wanted]
                if not left:
                    return
                problem = await self._try_call(thread, left[0], call)
            if problem is None:
                placed[left[0].place] = wanted
                continue
            pause = max(problem.after, min(_LONGEST_WAIT, pause * 2))
            log.warning("thread %s: reaction: %s; again in %.0f s", thread_id, problem, pause)
            await self.clock.sleep(pause)

    def _is_decided(self, thread_id: str) -> bool:
        """Return whether a person has decided on it: the asker waits for that."""
        thread = self._newest.get(thread_id)
        return thread is not None and thread.status in _DECIDED

    def _has_just_ended(self, thread: Thread) -> bool:
        """Return whether an incident of services ended in the last day: its mark must not go on saying `failed`."""
        ended_at = thread.incident.recovered_at if thread.incident else None
        return ended_at is not None and self.clock.now() - ended_at < _LATEST

    async def _try_call(
        self, thread: Thread, mark: StatusReaction, call: Callable[..., Awaitable[None]]
    ) -> RetryLater | None:
        """Make one call; return the reason for repeating it."""
        try:
            if self.losses and not self.losses.may_react():
                return None
            await call(channel=thread.chat_id, ts=mark.ts, name=mark.name)
        except Refused as problem:
            if problem.code in ACCESS and self._has_just_ended(thread):
                return RetryLater(refusal_in_words(problem), after=_LONGEST_WAIT)
            log.warning("thread %s: its reaction stays as it is: %s", thread.thread_id, refusal_in_words(problem))
        except RetryLater as problem:
            return problem
        return None
