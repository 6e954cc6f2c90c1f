"""Lines of a file of the home, packed or not, and their replacement beside its place."""

from __future__ import annotations

import gzip
import os
import zlib
from typing import TYPE_CHECKING

from bot.errors import Unreadable
from bot.runtime.atomic_file import sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines that are not blank, each with its end. Raises `Unreadable`."""
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        try:
            for line in file:
                if line.strip():
                    yield line if line.endswith(b"\n") else line + b"\n"
        except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
            raise Unreadable(
                f"{path}: it is damaged ({problem}), so nobody can tell what is in it; remove the file, and purge again"
            ) from problem


def write_anew(path: Path, lines: Iterable[bytes]) -> None:
    """Replace a file by these lines: after a crash there is the old or the new one."""
    beside = path.with_name(f"{path.name}.tmp")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as packed:
                packed.writelines(lines)
        else:
            raw.writelines(lines)
        raw.flush()
        os.fsync(raw.fileno())
    beside.replace(path)
    sync_folder(path.parent, point="purge")
