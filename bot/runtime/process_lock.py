"""Process lock: a file that one process holds while it lives, and that has its id from then on.

The lock ends with its process, whatever ends that. All calls block.
"""

from __future__ import annotations

import fcntl
import os
import time
from typing import TYPE_CHECKING

from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 2.0
"""Seconds in which a process tries to take the lock: others hold it for an instant when they look."""


class ProcessLock:
    """One lock. The constructor creates nothing; `point` begins the names of its failpoints."""

    def __init__(self, path: Path, *, point: str) -> None:
        self.path = path
        self._point = point

    def take(self, owner: str, *, again: bool = False) -> int | None:
        """Hold the lock until the returned file descriptor is closed, and write `owner` into it. Raises `OSError`.

        Returns `None` where another process holds it, and, unless `again` is set, where one has ever held it.
        """
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            if _try_lock(handle, until=time.monotonic() + PATIENCE) and (again or not os.pread(handle, 1, 0)):
                with passing(f"{self._point}.write", self.path.name):
                    os.ftruncate(handle, 0)
                    os.pwrite(handle, owner.encode(), 0)
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        return None

    def read(self) -> tuple[int | None, bool]:
        """Return the process that has, or had, the lock, and if it holds it now."""
        try:
            handle = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            return None, False
        try:
            is_held = not _try_lock(handle, fcntl.LOCK_SH)
            content = os.pread(handle, 20, 0).decode(errors="replace")
        finally:
            os.close(handle)
        return int(content) if content.isdecimal() else None, is_held


def _try_lock(handle: int, kind: int = fcntl.LOCK_EX, *, until: float = 0.0) -> bool:
    """Return whether the lock could be taken, at the latest at this time of the monotonic clock."""
    while True:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(0.05)
        else:
            return True
