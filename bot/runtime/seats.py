"""Seats: a limit of concurrent work that may change while work waits."""

from __future__ import annotations

import asyncio


class Seats:
    """Async context manager that is entered by at most `limit` tasks at the same time, the first who waits first."""

    def __init__(self, limit: int) -> None:
        self._limit, self._taken = limit, 0
        self._waiting: list[asyncio.Future[None]] = []

    def set_limit(self, limit: int) -> None:
        """Change the limit; work that has a seat keeps it."""
        self._limit = limit
        self._give()

    async def __aenter__(self) -> None:
        seat: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(seat)
        self._give()
        try:
            await seat
        except asyncio.CancelledError:
            if seat.cancelled():
                self._waiting.remove(seat)
            else:  # given in the same moment
                await self.__aexit__()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._taken -= 1
        self._give()

    def _give(self) -> None:
        for seat in [each for each in self._waiting if not each.done()][: max(0, self._limit - self._taken)]:
            self._waiting.remove(seat)
            self._taken += 1
            seat.set_result(None)
