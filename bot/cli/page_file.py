"""Page of a report on disk, for its owner only."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from bot.errors import Misconfigured

if TYPE_CHECKING:
    from pathlib import Path


def check_page(path: Path) -> None:
    """Raise `Misconfigured` if the folder of a page does not exist."""
    if not path.absolute().parent.is_dir():
        raise Misconfigured(f"--html: expected a folder that exists, got {path.absolute().parent}")


def write_page(path: Path, page: str) -> None:
    """Write a page. Raises `Misconfigured` if it cannot be written."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            if stat.S_ISREG(os.fstat(handle).st_mode):  # an existing file may be readable by others
                os.fchmod(handle, 0o600)
            file.write(page)
    except OSError as problem:
        raise Misconfigured(f"--html: {path} cannot be written: {problem.strerror}") from None
