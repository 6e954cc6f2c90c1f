"""How long a run is waited for: as long as anything moves, so that a slow machine is no loss and a hang is one."""

from __future__ import annotations

import time
from collections.abc import Callable

STILL = 30.0
"""Seconds in which nothing moves until a run that gets nowhere is given up, which counts as a loss."""
CIRCLES = 10
"""How many times as long a run is waited for that moves and comes to no end."""
_LOOK = 1.0
"""Seconds between two looks at what moves."""


class Patience:
    """What is left of it: `moves` gives what changes while anything goes on."""

    def __init__(self, moves: Callable[[], object], still: float = STILL) -> None:
        self._moves, self._still = moves, still
        self._began = self._moved = self._looked = time.monotonic()
        self._seen = moves()

    def is_left(self) -> bool:
        """Return whether something has moved lately."""
        now = time.monotonic()
        if now - self._looked >= _LOOK:
            seen = self._moves()
            if seen != self._seen:
                self._seen, self._moved = seen, now
            self._looked = now
        return now - self._moved < self._still and now - self._began < CIRCLES * self._still
