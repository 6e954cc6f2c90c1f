"""Renewals: what somebody looks at is brought up to date, one drawing at a time for each person."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

log = logging.getLogger(__name__)


@dataclass
class Renewals:
    """Draws what one person looks at; whatever changes during a drawing is drawn by one more after it."""

    draw: Callable[[str], Awaitable[None]]
    _due: set[str] = field(default_factory=set)
    _drawing: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def soon(self, user: str) -> None:
        """Draw for this person."""
        self._due.add(user)
        if user not in self._drawing:
            self._drawing[user] = asyncio.create_task(self._draw_all(user), name=f"renewal {user}")

    async def stop(self) -> None:
        """Draw nothing any more."""
        tasks = [*self._drawing.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _draw_all(self, user: str) -> None:
        try:
            while user in self._due:
                self._due.discard(user)
                await self.draw(user)
        except Exception:
            log.exception("what %s looks at was not brought up to date", user)
        finally:
            del self._drawing[user]
