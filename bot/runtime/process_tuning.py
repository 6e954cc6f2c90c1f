"""The interpreter set for a program that runs for months beside its own worker threads."""

from __future__ import annotations

import ctypes
import gc
import sys

SWITCH_INTERVAL = 0.001
"""Seconds that a worker thread may go on while the event loop wants to. Python's own five make a queue of threads that
search, read and redact a wait of fifty milliseconds for an event that is to be acknowledged."""

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
_LARGE = 128 * 1024
"""Bytes from which the C library takes memory from the system for each piece, and gives it back with it."""


def settle() -> None:
    """Before the first thread starts: switches come early, and what was freed goes back to the system.

    The GNU C library keeps a heap for every few threads, each with its own holes, and raises the size from which it
    returns memory with what it has seen: ten batches of fifty investigations grew it by thirty megabytes. Other C
    libraries are left alone.
    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 1)
        mallopt(_M_MMAP_THRESHOLD, _LARGE)


def started() -> None:
    """Once everything stands: the collector need not look at it at every turn.

    Its turns are short, since an event that is to be acknowledged waits for each of them; what lives long it looks at
    seldom, or when nothing comes in (`tidy`).
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(1_500, 6, 1_000)  # an event leaves hundreds of small things that live for a moment


def tidy() -> None:
    """Look at all that was made since the start; it takes some milliseconds."""
    gc.collect()
