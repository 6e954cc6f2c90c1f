"""Draining of a process that ends: it begins no work any more, and what is under way may end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Draining:
    """Switch that everything reads that begins work. Work that was not begun is on disk for the next process."""

    def __init__(self) -> None:
        self.is_on = False
        self.observers: list[Callable[[], None]] = []
        """Called once when it begins."""

    def begin(self) -> None:
        """Begin no work from now on."""
        observers, self.observers, self.is_on = self.observers, [], True
        for tell in observers:
            tell()
