"""Renewals: refresh a user's view, one rendering at a time for each person."""

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
    """Renders one person's view; changes during a rendering cause one further rendering."""

    draw: Callable[[str], Awaitable[None]]
    _due: set[str] = field(default_factory=set)
    _drawing: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def soon(self, user: str) -> None:
        """Schedule a rendering for this person."""
        self._due.add(user)
        if user not in self._drawing:
            self._drawing[user] = asyncio.create_task(self._draw_all(user), name=f"renewal {user}")

    async def stop(self) -> None:
        """Stop all renderings."""
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
