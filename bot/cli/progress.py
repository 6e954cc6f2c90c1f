"""A progress bar on stderr, for work that takes longer than two seconds and a person who watches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

PATIENCE = 2.0
"""Seconds of work before the bar appears."""
_EVERY = 0.1
_WIDTH = 30


class ProgressBar:
    """Draws `done` of `size` on `stream` when that is a terminal; `now` tells seconds."""

    def __init__(self, stream: TextIO | None, now: Callable[[], float]) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None
        self._now = now
        self._next = now() + PATIENCE
        self._drawn = False

    def show(self, done: int, size: int) -> None:
        """Draw it when it is time to."""
        if self._stream is None or self._now() < self._next:
            return
        self._next = self._now() + _EVERY
        self._drawn = True
        share = min(1.0, done / size) if size else 1.0
        full = round(share * _WIDTH)
        self._stream.write(f"\r[{'#' * full}{'.' * (_WIDTH - full)}] {share:4.0%}")
        self._stream.flush()

    def end(self) -> None:
        """Take the bar away."""
        if self._drawn and self._stream is not None:
            self._stream.write(f"\r{' ' * (_WIDTH + 8)}\r")
            self._stream.flush()
