"""Note files in a folder of the team: each written completely or not at all, none ever overwritten (`NoteFiles`).

A note gets its name by a hard link, which fails if the name is taken, even by a symbolic link to elsewhere. The folder
is opened once and everything happens inside it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING

from bot.errors import Refused
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_READABLE = 0o644
"""Notes have the mode of a project's other files."""


class NoteFileWriter:
    """Writer of notes."""

    async def write(self, folder: Path, names: Sequence[str], content: str) -> str:
        """Write under the first of `names` that is free, and return it. On return the note is on disk.

        An identical note under one of them counts as written. Raises `Refused`.
        """
        try:
            return await asyncio.to_thread(_write, folder, names, content.encode("utf-8", "replace"))
        except OSError as problem:
            raise Refused(f"{folder}: {problem.strerror}", code="note_not_written") from problem


def _write(folder: Path, names: Sequence[str], content: bytes) -> str:
    inside = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        beside = f".{names[0]}.{os.getpid()}.tmp"
        _write_beside(inside, beside, content)
        try:
            name = next((name for name in names if _is_taken_for(inside, beside, name, content)), None)
        finally:
            os.unlink(beside, dir_fd=inside)
        with passing("note.sync_folder", folder.name):
            os.fsync(inside)
    finally:
        os.close(inside)
    if name is None:
        raise Refused(f"{folder}: there are too many notes called {names[0]}", code="note_not_written")
    return name


def _write_beside(inside: int, beside: str, content: bytes) -> None:
    with contextlib.suppress(FileNotFoundError):  # left by a process that died
        os.unlink(beside, dir_fd=inside)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=inside)
    with os.fdopen(handle, "wb") as file, passing("note.write", beside):
        file.write(content)
        file.flush()
        os.fchmod(file.fileno(), _READABLE)
        os.fsync(file.fileno())


def _is_taken_for(inside: int, beside: str, name: str, content: bytes) -> bool:
    """Return whether the note now has this name: linked, or already there with the same bytes."""
    try:
        with passing("note.link", name):
            os.link(beside, name, src_dir_fd=inside, dst_dir_fd=inside)
    except FileExistsError:
        return _is_the_same(inside, name, content)
    return True


def _is_the_same(inside: int, name: str, content: bytes) -> bool:
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=inside)
    except OSError:
        return False
    with os.fdopen(handle, "rb") as file:
        return file.read(len(content) + 1) == content
