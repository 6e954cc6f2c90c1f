"""Ports of the effect runner and of card updates, implemented by the parts that `wiring/app` connects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from bot.models.effect import Effect
    from bot.models.thread import Thread
    from bot.models.thread_event import Happening


class RunEffect(Protocol):
    """Runner of one effect; returns the event that it led to, or `None` where no event follows."""

    def __call__(self, thread: Thread, effect: Effect) -> Awaitable[Happening | None]:
        """Run the effect. May take minutes and may be cancelled."""


class Redraw(Protocol):
    """Scheduler of card updates."""

    def __call__(self, thread: Thread, *, look_up: bool = False) -> None:
        """Schedule an update of the thread's card to this state of the document."""
