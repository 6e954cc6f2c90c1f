"""Atomic replacement of a file on disk: a crash leaves the old content or the new one.

All adapters that keep files in the home use it. Fault points carry the caller's name.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from pathlib import Path


def replace_file(path: Path, content: bytes, *, point: str) -> None:
    """Write `content` beside `path`, sync it, rename it and sync the folder; only the owner may read it.

    On return the content and the name are on disk. Raises `OSError`, which may leave `<name>.tmp` for the next write.
    """
    beside, name = path.with_name(f"{path.name}.tmp"), path.name
    with passing(f"{point}.open", name):
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as file:
        with passing(f"{point}.write", name):
            file.write(content)
            file.flush()
        with passing(f"{point}.sync", name):
            os.fsync(file.fileno())
    with passing(f"{point}.rename", name):
        beside.replace(path)
    sync_folder(path.parent, point=point)


def sync_folder(folder: Path, *, point: str) -> None:
    """Sync the entries of a folder to disk. Raises `OSError`."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with passing(f"{point}.sync_folder", folder.name):
            os.fsync(handle)
    finally:
        os.close(handle)
