"""Queue of chat turns. Turns of one conversation, and of one person, run one after the other; those of other
conversations run in parallel, up to a limit."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from bot.models.conversation_record import TurnRecord

MAX_RUNNING = 4
"""Number of turns that run concurrently."""


@dataclass(kw_only=True)
class TurnQueue:
    """Open turns."""

    waiting: list[TurnRecord] = field(default_factory=list)
    """Waiting turns, in the order of their messages."""
    running: dict[str, tuple[TurnRecord, asyncio.Task[None]]] = field(default_factory=dict)
    """Running turns by id, each with its task."""

    @property
    def open(self) -> list[TurnRecord]:
        """Return all open turns, running ones last."""
        return [*self.waiting, *(turn for turn, _ in self.running.values())]

    def begin(self, run: Callable[[TurnRecord], Coroutine[Any, Any, None]]) -> None:
        """Begin the turns that may run now, in the order of their messages."""
        busy = {name for turn, _ in self.running.values() for name in _places(turn)}
        for turn in [*self.waiting]:
            if len(self.running) >= MAX_RUNNING:
                return
            if busy.isdisjoint(_places(turn)):
                self.waiting.remove(turn)
                task = asyncio.create_task(run(turn), name=f"turn {turn.turn_id}")
                self.running[turn.turn_id] = (turn, task)
            busy.update(_places(turn))  # also of a waiting turn: later ones must not overtake it


def _places(turn: TurnRecord) -> tuple[str, str]:
    """Return the keys that only one running turn may hold: the conversation and the person."""
    return turn.message.home, turn.message.sender.id
