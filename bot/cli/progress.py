"""Progress on stderr of work of more than two seconds, at a terminal: a bar, or the name of the work and its time."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Self

from bot.cli.terminal_style import is_watched

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

PATIENCE = 2.0
"""Seconds of work before the bar appears."""
_EVERY = 0.1
_REDRAWN_EVERY = 1.0
_WIDTH = 30
_ERASE = "\r\x1b[K"


class ProgressBar:
    """Progress bar of `done` of `size` on `stream`, if that is a terminal; `now` returns seconds."""

    def __init__(self, stream: TextIO | None, now: Callable[[], float]) -> None:
        self._stream = stream if is_watched(stream) else None
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
            self._stream.write(f"{_ERASE}\r")
            self._stream.flush()


class Activity:
    """Work whose end cannot be foreseen, such as `Fitting the weights`, from the beginning of the block to its end.

    Its line on `stream` begins after `patience` seconds, and goes at the end, also after Ctrl-C. The cursor stays at
    the line's beginning, so that a child's message overwrites it.
    """

    def __init__(self, stream: TextIO | None, name: str, *, patience: float = PATIENCE) -> None:
        self._stream = stream if is_watched(stream) else None
        self._name = name
        self._patience = patience
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._draw, name="activity", daemon=True)

    def __enter__(self) -> Self:
        if self._stream is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        if self._stream is not None:
            self._thread.join()

    def _draw(self) -> None:
        assert self._stream is not None  # noqa: S101  # the thread is started for a stream only
        began = time.monotonic()
        if self._is_over.wait(self._patience):
            return
        while True:
            self._stream.write(f"{_ERASE}{self._name} … {time.monotonic() - began:.0f} s\r")
            self._stream.flush()
            if self._is_over.wait(_REDRAWN_EVERY):
                break
        self._stream.write(_ERASE)
        self._stream.flush()
