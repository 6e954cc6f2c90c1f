"""Questions affected by losses: their cards are updated, and those of a lost operator are reassigned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import Unreadable
from bot.models.staleness import ReadersGone
from bot.models.thread_event import CardWanted, OperatorLost

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.loss import Loss
    from bot.models.thread import Thread
    from bot.ports.outbound import Clock
    from bot.surfaces.card_channel import CardChannel
    from bot.triage.operators import Operators
    from bot.triage.orchestrator import Orchestrator


@dataclass(frozen=True, kw_only=True)
class LostQuestions:
    """Updater of affected questions. `shared` is the operators' private channel for cards, if any."""

    orchestrator: Orchestrator
    operators: Operators
    clock: Clock
    shared: CardChannel

    async def note_change(self, loss: Loss) -> None:
        """Update the questions affected by a loss or its end."""
        threads = self.orchestrator.open_threads
        if loss.kind == "person":
            for thread in await self._read(threads.of_operator(loss.subject)):
                self._pass_on(thread, loss.subject)
        elif loss.subject == self.shared.channel:
            for thread in await self._read(threads.with_status("pending-user", "in-doubt")):
                self._place_anew(thread)
        else:
            for thread in await self._read(threads.in_channel(loss.subject)):
                self._redraw(thread)

    async def readers_gone(self, channel: str) -> None:
        """Tell a channel's questions that external people no longer read it."""
        for thread_id in self.orchestrator.open_threads.in_channel(channel):
            self.orchestrator.tell(thread_id, ReadersGone(at=self.clock.now(), fresh=self.clock.new_id()))

    def _pass_on(self, thread: Thread, user: str) -> None:
        """Reassign the question if its operator is lost, else render their card again."""
        if user not in self.operators.unreachable:
            self._redraw(thread)
            return
        others = self.operators.operators_of(thread)
        lost = OperatorLost(at=self.clock.now(), fresh=self.clock.new_id(), user=user, operators=others)
        self.orchestrator.tell(thread.thread_id, lost)

    def _place_anew(self, thread: Thread) -> None:
        """Move the card out of the queue channel while it must not be there, and back afterwards."""
        if self.shared.now is None:
            self.orchestrator.redraw(thread)
        elif self.shared.channel_of(thread):
            self.orchestrator.tell(thread.thread_id, CardWanted(at=self.clock.now(), fresh=self.clock.new_id()))

    def _redraw(self, thread: Thread) -> None:
        if thread.status in ("pending-user", "in-doubt"):
            self.orchestrator.redraw(thread)

    async def _read(self, thread_ids: Iterable[str]) -> list[Thread]:
        threads = []
        for thread_id in thread_ids:
            try:
                thread = await self.orchestrator.store.load(thread_id)
            except Unreadable:
                continue  # its next event rebuilds it
            if thread:
                threads.append(thread)
        return threads
