"""Project notes on disk (`ProjectNotes`): `notes/<project>/<name>.md` in the home, folders 0700, files 0600.

Every change writes a temporary file, syncs it and renames it; the previous version is kept as `.<name>.md.previous`.
Nothing is opened through a symbolic link, and only regular files are.
"""

from __future__ import annotations

import asyncio
import os
import re
import stat
import threading
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from bot.errors import Refused
from bot.models.note import MOST_BYTES, MOST_NOTES, NOTE_NAME, NOTE_PROJECT, Note, title_of
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Answer = TypeVar("Answer")

_PROJECT = re.compile(NOTE_PROJECT)
_NAME = re.compile(NOTE_NAME)
_OURS = re.compile(r"\.?[a-z0-9][a-z0-9-]{0,79}\.md(?:\.previous|\.tmp|\.kept\.tmp)?")
"""Names of notes, of their previous versions, and of what a process that died has left."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: opening a FIFO must not wait for somebody to write into it.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class ProjectNoteFiles:
    """The notes below one folder, which is created with the first of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()

    async def list_all(self, project: str) -> tuple[Note, ...]:
        """Return the notes of a project by name. Raises `Refused`."""
        return await self._run_in_thread(project, lambda: self._all(project))

    async def read(self, project: str, name: str, *, previous: bool = False) -> str | None:
        """Return a note, or its version before the last change; `None` if there is none. Raises `Refused`."""
        return await self._run_in_thread(project, lambda: self._read(project, name, previous=previous))

    async def change(self, project: str, name: str, make: Callable[[str | None], str]) -> bool:
        """Replace a note by the result of `make`, and keep the previous version; return whether there was one.

        One change at a time. On return it is on disk. Raises `Refused`, as `make` may.
        """
        return await self._run_in_thread(project, lambda: self._change(project, name, make))

    async def remove(self, project: str, name: str) -> bool:
        """Remove a note with its previous version; return whether it existed. Raises `Refused`."""
        return await self._run_in_thread(project, lambda: self._remove(project, name))

    async def remove_all(self, project: str) -> int:
        """Remove every note of a project; return their number. Raises `Refused`."""
        return await self._run_in_thread(project, lambda: self._remove_all(project))

    async def _run_in_thread(self, project: str, work: Callable[[], Answer]) -> Answer:
        try:
            return await asyncio.to_thread(work)
        except OSError as problem:
            text = f"the notes of {project[:64]!r} cannot be used: {problem.strerror}"
            raise Refused(text, code="notes_unusable") from problem

    def _all(self, project: str) -> tuple[Note, ...]:
        notes = []
        with self._open_folder(project, make=False) as inside:
            if inside is None:
                return ()
            for name in _names(inside):
                with suppress(OSError, Refused):  # a link, a folder, or deleted meanwhile
                    content, about = _content(inside, name)
                    at = datetime.fromtimestamp(about.st_mtime, UTC)
                    notes.append(Note(name=name, title=title_of(name, content), size=about.st_size, changed_at=at))
        return tuple(notes)

    def _read(self, project: str, name: str, *, previous: bool) -> str | None:
        with self._open_folder(project, make=False) as inside:
            return _read_if_present(inside, _previous_name(_check_name(name)) if previous else _check_name(name))

    def _change(self, project: str, name: str, make: Callable[[str | None], str]) -> bool:
        with self._lock, self._open_folder(project, make=True) as inside:
            assert inside is not None  # noqa: S101  # it was to be made; this tells the type checker
            previous = _read_if_present(inside, _check_name(name))
            content = make(previous).encode("utf-8", "replace")
            if len(content) > MOST_BYTES:
                raise Refused(f"a note holds at most {MOST_BYTES:,} bytes, this is {len(content):,}", code="too_long")
            if previous is None and len(_names(inside)) >= MOST_NOTES:
                raise Refused(f"{project} has {MOST_NOTES} notes, the most that there may be", code="too_many")
            if previous is None or content != previous.encode("utf-8", "replace"):
                _put(inside, name, content, keep=previous is not None)
            return previous is not None

    def _remove(self, project: str, name: str) -> bool:
        with self._lock, self._open_folder(project, make=False) as inside:
            if inside is None or _read_if_present(inside, _check_name(name)) is None:
                return False
            with passing("project_notes.remove", name):
                os.unlink(name, dir_fd=inside)
            with suppress(FileNotFoundError):
                os.unlink(_previous_name(name), dir_fd=inside)
            os.fsync(inside)
            return True

    def _remove_all(self, project: str) -> int:
        with self._lock, self._open_folder(project, make=False) as inside:
            if inside is None:
                return 0
            names, count = [entry.name for entry in os.scandir(inside) if _OURS.fullmatch(entry.name)], 0
            for name in names:
                with passing("project_notes.remove", name):
                    os.unlink(name, dir_fd=inside)
                count += _NAME.fullmatch(name) is not None
            os.fsync(inside)
            return count

    @contextmanager
    def _open_folder(self, project: str, *, make: bool) -> Iterator[int | None]:
        """Open the project's folder; `None` if there is none."""
        if not _PROJECT.fullmatch(project):
            raise Refused(f"{project[:64]!r} is not a project name", code="no_such_project")
        if make:
            self._folder.mkdir(mode=0o700, exist_ok=True)
        handle = None
        with suppress(FileNotFoundError):
            above = os.open(self._folder, _FOLDER)
            try:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(project, mode=0o700, dir_fd=above)
                handle = os.open(project, _FOLDER, dir_fd=above)
            finally:
                os.close(above)
        try:
            yield handle
        finally:
            if handle is not None:
                os.close(handle)


def _names(inside: int) -> list[str]:
    return sorted(entry.name for entry in os.scandir(inside) if _NAME.fullmatch(entry.name))


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise Refused(f"{name[:80]!r} is not a note name", code="no_such_note")
    return name


def _previous_name(name: str) -> str:
    return f".{name}.previous"


def _read_if_present(inside: int | None, name: str) -> str | None:
    if inside is None:
        return None
    try:
        return _content(inside, name)[0]
    except FileNotFoundError:
        return None


def _content(inside: int, name: str) -> tuple[str, os.stat_result]:
    """Read a note and its file metadata. Raises `Refused` for anything but a regular file of a note's size."""
    with os.fdopen(os.open(name, _FILE, dir_fd=inside), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_BYTES:
            raise Refused(f"{name} is not a file of at most {MOST_BYTES:,} bytes", code="no_note")
        return file.read(MOST_BYTES).decode("utf-8", "replace"), about


def _put(inside: int, name: str, content: bytes, *, keep: bool) -> None:
    beside, previous = f".{name}.tmp", f".{name}.kept.tmp"
    for left in (beside, previous):  # left by a process that died
        with suppress(FileNotFoundError):
            os.unlink(left, dir_fd=inside)
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=inside)
    with os.fdopen(handle, "wb") as file, passing("project_notes.write", name):
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if keep:
        os.link(name, previous, src_dir_fd=inside, dst_dir_fd=inside, follow_symlinks=False)
        with passing("project_notes.keep", name):
            os.replace(previous, _previous_name(name), src_dir_fd=inside, dst_dir_fd=inside)
    with passing("project_notes.rename", name):
        os.replace(beside, name, src_dir_fd=inside, dst_dir_fd=inside)
    with passing("project_notes.sync_folder", name):
        os.fsync(inside)
