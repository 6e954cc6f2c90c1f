"""Folders of Triage's own that must be folders: a link in the place of one, or of one above it, is never followed."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot.errors import ToolError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


@contextmanager
def open_folder(folder: Path, *, own: int) -> Iterator[int]:
    """Open a folder, whose last `own` parts are Triage's, through folders alone; yield its descriptor. Blocking.

    Raises `ToolError` if one of these parts is a link or no folder, and `FileNotFoundError` if one is not there.
    """
    handle = os.open(folder.parents[own - 1], _FLAGS)
    try:
        for above in range(own - 1, -1, -1):
            part = folder.parents[above - 1] if above else folder
            try:
                inner = os.open(part.name, _FLAGS | os.O_NOFOLLOW, dir_fd=handle)
            except OSError as problem:
                if problem.errno in (errno.ELOOP, errno.ENOTDIR):
                    raise _refuse(part) from None
                raise
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def check_folder(folder: Path, *, own: int) -> None:
    """Raise `ToolError` if one of the last `own` parts of a path is there, but a link or no folder. Blocking."""
    try:
        with open_folder(folder, own=own):
            pass
    except FileNotFoundError:
        pass


def _refuse(part: Path) -> ToolError:
    return ToolError(
        f"{part} is a link or a file where Triage keeps a folder of its own; nothing was read or written through it: "
        "move it away, and give the command again (the files of a branch are made again from its commits)"
    )
