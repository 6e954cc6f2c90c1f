"""Queue of chat turns: which wait and which run. Turns of one conversation, and of one person, run one after the other;
of several conversations a few side by side.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from bot.models.talk import TalkTurn

SEATS = 4
"""Turns that run at once."""


@dataclass(kw_only=True)
class TurnQueue:
    """The turns that are open."""

    waiting: list[TalkTurn] = field(default_factory=list)
    """In the order in which they were said."""
    running: dict[str, tuple[TalkTurn, asyncio.Task[None]]] = field(default_factory=dict)
    """By their ids, each with the task that runs it."""

    @property
    def open(self) -> list[TalkTurn]:
        """All of them, those that run last."""
        return [*self.waiting, *(turn for turn, _ in self.running.values())]

    def begin(self, run: Callable[[TalkTurn], Coroutine[Any, Any, None]]) -> None:
        """Begin what may begin now, in the order in which it was said."""
        busy = {name for turn, _ in self.running.values() for name in _places(turn)}
        for turn in [*self.waiting]:
            if len(self.running) >= SEATS:
                return
            if busy.isdisjoint(_places(turn)):
                self.waiting.remove(turn)
                task = asyncio.create_task(run(turn), name=f"turn {turn.turn_id}")
                self.running[turn.turn_id] = (turn, task)
            busy.update(_places(turn))  # of a turn that waits, too: what came after it does not overtake it


def _places(turn: TalkTurn) -> tuple[str, str]:
    """What only one turn at a time may have: the conversation, and the person."""
    return turn.message.home, turn.message.sender.id
