"""Queue of calls, of which one runs at a time; preferred ones come first, the others in order."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


class TurnLine:
    """One turn at a time; the next one is chosen when a turn ends, by the state at that time."""

    def __init__(self) -> None:
        self._is_taken = False
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def turn(self, name: str, goes_first: Callable[[str], bool]) -> AsyncIterator[None]:
        """Hold the turn; `goes_first` returns whether a waiting call then goes before the others."""
        await self._enter(name, goes_first)
        try:
            yield
        finally:
            self._pass_on(goes_first)

    async def _enter(self, name: str, goes_first: Callable[[str], bool]) -> None:
        if not self._is_taken:
            self._is_taken = True
            return
        place = (name, asyncio.get_running_loop().create_future())
        self._waiting.append(place)
        try:
            await place[1]
        except asyncio.CancelledError:
            if place in self._waiting:
                self._waiting.remove(place)
            else:  # its turn had come
                self._pass_on(goes_first)
            raise

    def _pass_on(self, goes_first: Callable[[str], bool]) -> None:
        if not self._waiting:
            self._is_taken = False
            return
        first = next((place for place in self._waiting if goes_first(place[0])), self._waiting[0])
        self._waiting.remove(first)
        if first[1].cancelled():
            self._pass_on(goes_first)
        else:
            first[1].set_result(None)
