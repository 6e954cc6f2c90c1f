"""Failpoints: named points around every external operation: an open, a write, a sync, a rename, a call, a frame.

The adapters wrap each such operation in `passing`. A test program that arms the points can kill its process just before
or after one, make it fail, delay it, or count. In production nothing arms them, and a point is one comparison.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Watch = Callable[[str, str], AbstractContextManager[None]]

_watch: Watch | None = None
_NOTHING = nullcontext()


def passing(point: str, subject: str) -> AbstractContextManager[None]:
    """Return the context manager around one operation; `subject` is the file's name, the method or the kind of
    frame."""
    return _NOTHING if _watch is None else _watch(point, subject)


def arm(watch: Watch | None) -> None:
    """Use `watch` to build the context manager of each operation from now on. It may raise the operation's errors."""
    global _watch
    _watch = watch
