"""Progress bar on stderr for work of more than two seconds at a terminal."""

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
    """Progress bar of `done` of `size` on `stream`, if that is a terminal; `now` returns seconds."""

    def __init__(self, stream: TextIO | None, now: Callable[[], float]) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None
        self._now = now
        self._next = now() + PATIENCE
        self._drawn = False

    def show(self, done: int, size: int) -> None:
        """Redraw the bar, at most every tenth of a second."""
        if self._stream is None or self._now() < self._next:
            return
        self._next = self._now() + _EVERY
        self._drawn = True
        share = min(1.0, done / size) if size else 1.0
        full = round(share * _WIDTH)
        self._stream.write(f"\r[{'#' * full}{'.' * (_WIDTH - full)}] {share:4.0%}")
        self._stream.flush()

    def end(self) -> None:
        """Erase the bar."""
        if self._drawn and self._stream is not None:
            self._stream.write(f"\r{' ' * (_WIDTH + 8)}\r")
            self._stream.flush()
