"""Renewals: refresh a user's view, one rendering at a time for each person."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import Protocol

log = logging.getLogger(__name__)


class RenewedView(Protocol):
    """View of each user that is refreshed."""

    async def renew(self, user: str) -> None:
        """Render the view of a user again."""


@dataclass
class Renewals:
    """Renders one person's view; changes during a rendering cause one further rendering."""

    view: RenewedView
    _due: set[str] = field(default_factory=set)
    _rendering: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def schedule(self, user: str) -> None:
        """Schedule a rendering for this person."""
        self._due.add(user)
        if user not in self._rendering:
            self._rendering[user] = asyncio.create_task(self._render_all(user), name=f"renewal {user}")

    async def stop(self) -> None:
        """Stop all renderings."""
        tasks = [*self._rendering.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _render_all(self, user: str) -> None:
        try:
            while user in self._due:
                self._due.discard(user)
                await self.view.renew(user)
        except Exception:
            log.exception("what %s looks at was not brought up to date", user)
        finally:
            del self._rendering[user]
