"""Who does what the orchestrator starts: the effects of a thread, and its pictures. Only `wiring/app` knows who they
are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from bot.models.effect import Effect
    from bot.models.thread import Thread
    from bot.models.thread_event import Happening


class RunEffect(Protocol):
    """Whoever does an effect; the answer is what happened, or `None` when nobody needs to know."""

    def __call__(self, thread: Thread, effect: Effect) -> Awaitable[Happening | None]:
        """Do it. May take minutes, may be cancelled."""


class Redraw(Protocol):
    """Whoever draws the cards."""

    def __call__(self, thread: Thread, *, look_up: bool = False) -> None:
        """Bring the card up to this document, some time soon."""
