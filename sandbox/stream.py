"""Stream of a person's screen as server-sent events (GET /human/stream), sent whole after each change.

Changes close together share one frame, and rendering never takes more than a part of the loop's time.
"""

import asyncio
import json
import time
from collections.abc import Callable

from aiohttp import web

from sandbox.ephemerals import Ephemerals, Screen
from sandbox.models import Json

COALESCED = 0.005
"""Seconds to wait for further changes before a frame is rendered."""
SHARE = 4
"""Minimum pause before a frame, as a multiple of the last frame's rendering time."""


class Streams:
    """Streams of all open pages; `wake` is called on every change."""

    def __init__(self, *, draw: Callable[[str, Screen], Json], ephemerals: Ephemerals) -> None:
        self._draw = draw
        self._ephemerals = ephemerals
        self._wakers: set[asyncio.Event] = set()
        self._closed = False

    def wake(self) -> None:
        for waker in self._wakers:
            waker.set()

    def close(self) -> None:
        self._closed = True
        self.wake()

    async def serve(self, request: web.Request, user: str) -> web.StreamResponse:
        """Serve one page until it disconnects or the workspace closes."""
        headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
        response = web.StreamResponse(headers=headers)
        await response.prepare(request)
        waker = asyncio.Event()
        self._wakers.add(waker)
        screen = self._ephemerals.load(user)
        try:
            await self._push(response, screen, waker)
        finally:
            self._ephemerals.leave(screen)
            self._wakers.discard(waker)
        return response

    async def _push(self, response: web.StreamResponse, screen: Screen, waker: asyncio.Event) -> None:
        last = ""
        while not self._closed:
            waker.clear()
            start = time.perf_counter()
            frame = json.dumps(self._draw(screen.user, screen), separators=(",", ":"))
            cost = time.perf_counter() - start
            if frame != last:
                await response.write(f"data: {frame}\n\n".encode())
                last = frame
            await waker.wait()
            if not self._closed:
                await asyncio.sleep(max(COALESCED, SHARE * cost))
