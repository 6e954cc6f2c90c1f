"""Restart request: a new process is to take the place of this one, with the same arguments."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.errors import TriageError

if TYPE_CHECKING:
    from collections.abc import Callable

NOT_ITS_OWN = "this process is not `triage run`, so whatever started it restarts it"


class RestartRequest:
    """Holds the request; needs a running event loop.

    `check` raises `TriageError` if a new process would not start; `None` where no process can take the place of this
    one.
    """

    def __init__(self, check: Callable[[], object] | None = None) -> None:
        self._check = check
        self.future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def find_obstacle(self) -> str:
        """Return why a new process would not start or cannot be started, empty if nothing prevents it
        (`ProcessRestart`)."""
        if self._check is None:
            return NOT_ITS_OWN
        try:
            await asyncio.to_thread(self._check)
        except TriageError as problem:
            return str(problem)
        return ""

    def request(self) -> None:
        """Ask for the restart (`ProcessRestart`)."""
        if not self.future.done():
            self.future.set_result(None)
