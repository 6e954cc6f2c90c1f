"""Interpreter settings for a long-running process with worker threads."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SWITCH_INTERVAL = 0.001
"""Seconds that a worker thread may hold the interpreter while the event loop waits. With Python's default of five
milliseconds, queued threads that search, read and redact delay an ack by fifty milliseconds."""
TIDY_EVERY = 30.0
"""Seconds between two full garbage collections."""

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
_LARGE = 128 * 1024
"""Bytes from which the C library maps each allocation separately, and returns it to the system when freed."""


def tune_interpreter() -> None:
    """Set thread switching and memory allocation; call it before the first thread starts.

    The GNU C library keeps a fragmented heap for every few threads, and raises its threshold for returning memory with
    use: ten batches of fifty investigations grew it by thirty megabytes. Other C libraries are left unchanged.
    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)
        mallopt(_M_MMAP_THRESHOLD, _LARGE)


def postpone_garbage_collection() -> None:
    """Collect no garbage until `freeze_startup_objects`: what a start makes stays, and to look through it again and
    again is an eighth of its computing."""
    gc.disable()


def freeze_startup_objects() -> None:
    """Exclude the startup objects from garbage collection; call it when startup is complete.

    Collections must be short, since an ack waits for each; long-lived objects are collected rarely, or while no events
    arrive (`keep_tidy`).
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(1_500, 6, 1_000)  # an event allocates hundreds of short-lived objects


async def keep_tidy(is_quiet: Callable[[], bool], *, every: float = TIDY_EVERY) -> None:
    """Run a full garbage collection, some milliseconds long, now and then while nothing waits, until cancelled."""
    while True:
        await asyncio.sleep(every)
        if is_quiet():
            gc.collect()
