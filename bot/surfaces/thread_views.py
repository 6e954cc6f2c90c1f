"""Views of a thread in Slack and on disk: cards, copies, reactions, lines, statuses, reminders, tasks."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.models.interaction import CardPress
    from bot.models.thread import Thread
    from bot.runtime.acks import PendingAcks
    from bot.surfaces.cards import Cards
    from bot.surfaces.ephemeral_cards import EphemeralCards
    from bot.surfaces.fix_messages import FixMessages
    from bot.surfaces.long_runs import LongRuns
    from bot.surfaces.reminders import Reminders
    from bot.surfaces.task_files import TaskFileWriter

_EARLY = ("collecting", "investigating", "escalated", "awaiting-validation")
"""The statuses whose views only show that work goes on."""


class ThreadView(Protocol):
    """One kind of view."""

    def redraw(self, thread: Thread) -> None:
        """Bring the view up to this document, soon."""

    async def stop(self) -> None:
        """Draw nothing new."""


@dataclass(kw_only=True)
class ThreadViews:
    """All views (`ThreadRenderer`)."""

    tasks: TaskFileWriter
    cards: Cards
    long_runs: LongRuns
    fixes: FixMessages
    nudges: EphemeralCards
    reminders: Reminders
    others: tuple[ThreadView, ...]
    acks: PendingAcks
    """The acks that Slack waits for, which early views let go first."""
    _later: dict[str, Thread] = field(default_factory=dict)
    """The newest document of each thread whose early views wait for the acks."""
    _waiting: set[asyncio.Task[None]] = field(default_factory=set)

    def redraw(self, thread: Thread, *, look_up: bool = False) -> None:
        """Bring every view of a thread up to this document, soon; early views wait for the acks."""
        name = thread.thread_id
        is_later = thread.status in _EARLY and not look_up and (self.acks.are_due or name in self._later)
        if not is_later:
            self._later.pop(name, None)
            self._redraw(thread, look_up=look_up)
        elif name in self._later:
            self._later[name] = thread
        else:
            self._later[name] = thread
            task = asyncio.create_task(self._redraw_later(name), name=f"views {name}")
            self._waiting.add(task)
            task.add_done_callback(self._waiting.discard)

    async def _redraw_later(self, name: str) -> None:
        await self.acks.wait_turn()
        if thread := self._later.pop(name, None):
            self._redraw(thread)

    def _redraw(self, thread: Thread, *, look_up: bool = False) -> None:
        self.tasks.redraw(thread)
        self.cards.redraw(thread, look_up=look_up)
        self.long_runs.redraw(thread, look_up=look_up)
        self.fixes.redraw(thread, look_up=look_up)
        self.nudges.redraw(thread)
        for view in self.others:
            view.redraw(thread)
        self.reminders.note_change()

    def remember_response_url(self, press: CardPress) -> None:
        """Remember the address at which a pressed card can be changed."""
        (self.nudges if press.is_ephemeral else self.cards).remember_response_url(press)

    async def stop(self) -> None:
        """Draw nothing new; the next start draws what is missing."""
        for task in self._waiting:
            task.cancel()
        for view in (*reversed(self.others), self.nudges, self.fixes, self.long_runs, self.cards, self.tasks):
            await view.stop()
