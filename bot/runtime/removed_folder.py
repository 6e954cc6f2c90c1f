"""Removal of a folder in which programs have written: they may have taken away the right to remove what is in it."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def remove_folder(folder: Path) -> bool:
    """Remove a folder as far as its owner may, links without what they lead to; return whether it is gone. Blocking."""
    unlock_folder(folder)
    shutil.rmtree(folder, ignore_errors=True)
    return not os.path.lexists(folder)


def unlock_folder(folder: Path) -> None:
    """Give the owner of a folder the right to remove all that is in it. Blocking."""
    _allow(str(folder))
    for path, folders, _ in os.walk(folder):
        for name in folders:
            _allow(f"{path}/{name}")


def _allow(path: str) -> None:
    with suppress(OSError):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            os.chmod(path, 0o700)  # noqa: PTH101  # a text, as `os.walk` gives it
