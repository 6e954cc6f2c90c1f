"""Rights of the process of the tests, which may be root's: what anybody else may not do must be tried without them."""

from __future__ import annotations

import ctypes
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_VERSION_3 = 0x20080522  # of the kernel's header, with 64 rights
_BEYOND_MODES = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: modes of files do not count."""


@contextmanager
def bound_by_modes() -> Iterator[None]:
    """Let the modes of files count for this thread, and the threads that it starts, also where it is root."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    rights = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable of the first 32, then of the rest
    assert libc.capget(header, rights) == 0, os.strerror(ctypes.get_errno())
    effective = rights[0]
    try:
        rights[0] = effective & ~_BEYOND_MODES
        assert libc.capset(header, rights) == 0, os.strerror(ctypes.get_errno())
        yield
    finally:
        rights[0] = effective
        libc.capset(header, rights)
