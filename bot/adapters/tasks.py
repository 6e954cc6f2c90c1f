"""Task folders on disk: `tasks/<slug>/`.

Records are written atomically; journals are appended line by line and flushed, so that a person can follow one with
`tail -f` while its run is alive.
"""

from __future__ import annotations

import asyncio
import json
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import aiofiles

from bot.errors import RetryLater
from bot.runtime.atomic_file import replace_file
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_WRITER = ThreadPoolExecutor(1, thread_name_prefix="tasks")
"""One write at a time: many concurrent syncs would delay the one that an ack waits for."""
_END = 16_384
"""Bytes read at the end of a journal."""


class TaskFolders:
    """The folders below one, which is created with the first record."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def save(self, task: str, name: str, record: dict[str, Any]) -> None:
        """Save a record to disk. Raises `RetryLater` if it could not be written."""
        await self._run_in_writer(task, name, lambda: self._save(task, name, record))

    async def append(self, task: str, name: str, line: str, *, head: str = "", once: bool = False) -> None:
        """Append a line to a journal. Raises `RetryLater` if it could not be written."""
        await self._run_in_writer(task, name, lambda: self._append(task, name, line, head=head, once=once))

    async def tail(self, task: str, name: str, lines: int) -> str:
        """Return the last lines of a journal; empty if there is none."""
        end = await asyncio.shield(_read_end(self._folder / task / name))  # a cancelled read would leave it open
        return "\n".join(end.splitlines()[-lines:])

    async def names(self) -> list[str]:
        """Return the names of all folders; empty if they cannot be read."""
        return await asyncio.to_thread(self._names)

    def _names(self) -> list[str]:
        try:
            return [entry.name for entry in os.scandir(self._folder)]
        except OSError:
            return []

    async def _run_in_writer(self, task: str, name: str, work: Callable[[], None]) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(_WRITER, work)
        except OSError as problem:
            raise RetryLater(f"{self._folder / task}: {name} could not be written: {problem.strerror}") from problem

    def _save(self, task: str, name: str, record: dict[str, Any]) -> None:
        folder = self._ensure_folder(task)
        path = folder / name
        content = json.dumps(record, ensure_ascii=False, indent=1).encode("utf-8", "replace")
        if not path.is_file() or path.read_bytes() != content:
            replace_file(path, content, point="tasks")

    def _append(self, task: str, name: str, line: str, *, head: str, once: bool) -> None:
        path = self._ensure_folder(task) / name
        if once and path.is_file() and self._ends_with(task, name, line):
            return
        with passing("tasks.append", name):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
                begins = f"{head}\n" if os.fstat(file.fileno()).st_size == 0 and head else ""
                file.write(f"{begins}{line}\n")

    def _ends_with(self, task: str, name: str, line: str) -> bool:
        with (self._folder / task / name).open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _END))
            return line in file.read().decode(errors="replace").splitlines()

    def _ensure_folder(self, task: str) -> Path:
        folder = self._folder / task
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder


async def _read_end(path: Path) -> str:
    try:
        async with aiofiles.open(path, "rb") as file:
            await file.seek(max(0, await file.seek(0, os.SEEK_END) - _END))
            return (await file.read()).decode(errors="replace")
    except OSError:
        return ""
