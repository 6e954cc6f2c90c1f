"""Named points that every touch of the outside passes: an open, a write, a sync, a rename, a call, a frame.

The edges wrap each such operation in `passing`. A test program that has armed the points can kill its process just
before or just after one, make it fail, hold it up, or count. Nothing else arms them: in production a point is one
comparison.
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
    """What surrounds one operation; `subject` is the file's name, the method or the kind of frame that it concerns."""
    return _NOTHING if _watch is None else _watch(point, subject)


def arm(watch: Watch | None) -> None:
    """Have `watch` make what surrounds each operation from now on. It may raise what the operation could raise."""
    global _watch
    _watch = watch
