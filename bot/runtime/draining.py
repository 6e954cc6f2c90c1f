"""Draining of a process that ends: it begins no work any more, and what is under way may end."""

from __future__ import annotations


class Draining:
    """Switch that everything reads that begins work. Work that was not begun is on disk for the next process."""

    def __init__(self) -> None:
        self.is_on = False

    def begin(self) -> None:
        """Begin no work from now on."""
        self.is_on = True
