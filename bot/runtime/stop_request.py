"""Stop request: the problem that ends the process, from whichever thread it comes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.errors import TriageError


class StopRequest:
    """Holds the first problem; needs a running event loop."""

    def __init__(self) -> None:
        self.future: asyncio.Future[TriageError] = asyncio.get_running_loop().create_future()

    def stop_for(self, problem: TriageError) -> None:
        """Ask for a stop; may be called in any thread."""
        self.future.get_loop().call_soon_threadsafe(self.set, problem)

    def set(self, problem: TriageError) -> None:
        """Set the problem, in the thread of the event loop; the first one counts."""
        if not self.future.done():
            self.future.set_result(problem)
