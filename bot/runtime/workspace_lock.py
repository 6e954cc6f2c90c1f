"""Lock of a workspace: a program that writes there has it alone; git's changes and programs that only read share it.

It is a file beside the folder, which no program inside of its boundary sees. It ends with the process that holds it,
whatever ends that, so it is right between a bot and the programs that outlive an earlier one.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.runtime.real_folder import check_folder, open_folder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

PATIENCE = 10.0
"""Seconds for which a program waits for the end of a commit or another program; git does not wait for programs."""
OWN_PARTS = 4
"""Parts of a workspace's path that are Triage's own: `.work/<repository>-<digest>/trees/<slug>`."""
_TRY_EVERY = 0.1


@asynccontextmanager
async def hold_workspace(folder: Path, *, alone: bool, patience: float = 0.0) -> AsyncIterator[None]:
    """Hold the workspace in this folder, alone or with others that do not need it alone.

    Raises `ToolError` if it is not free within `patience` seconds, or if a link is in the place of the folder or of
    one above it, and `OSError`.
    """
    handle = _open_lock(folder)
    try:
        kind, until = fcntl.LOCK_EX if alone else fcntl.LOCK_SH, time.monotonic() + patience
        while not _try_lock(handle, kind):
            if time.monotonic() >= until:
                raise ToolError(f"a program or git works in the workspace of {folder.name}: wait until it has ended")
            await asyncio.sleep(_TRY_EVERY)
        yield
    finally:
        os.close(handle)


def _open_lock(folder: Path) -> int:
    check_folder(folder, own=OWN_PARTS)
    name = f"{folder.name}.lock"  # the name of no other workspace: a slug never ends so
    with open_folder(folder.parent, own=OWN_PARTS - 1) as beside:
        return os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600, dir_fd=beside)


def _try_lock(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
