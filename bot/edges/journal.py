"""An append-only file of JSON lines with group commit (`Journal`): the promise that stands before every ack.

One writer gathers what is waiting, writes it, syncs once, and only then lets the appends return. A write that fails
leaves no half line behind and the append raises, so nothing is acknowledged; after a sync that failed nothing that the
file says can be trusted, so the journal takes nothing more and says so to `on_broken`.
"""

from __future__ import annotations

import asyncio
import json
import os
from typing import TYPE_CHECKING, Any

import aiofiles

from bot.errors import RetryLater, TriageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_TAIL_BYTES = 4_000_000


class NdjsonJournal:
    """One file of records, a JSON object a line. `on_broken` is told once when the disk can no longer be trusted."""

    def __init__(self, path: Path, *, on_broken: Callable[[TriageError], None]) -> None:
        self._path = path
        self._on_broken = on_broken
        self._file: int | None = None
        self._waiting: list[tuple[bytes, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None
        self._broken: TriageError | None = None

    async def append(self, record: dict[str, Any]) -> None:
        """Return once the record is synced to disk. Raises `RetryLater` when it could not be written."""
        if self._broken:
            raise self._broken
        line = json.dumps(record, separators=(",", ":"), default=str).encode() + b"\n"
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((line, done))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_all(), name=f"journal {self._path.name}")
        await done

    async def tail(self, limit: int) -> list[dict[str, Any]]:
        """The last `limit` records that parse, oldest first, from the file's last few megabytes."""
        try:
            async with aiofiles.open(self._path, "rb") as file:
                size = await file.seek(0, os.SEEK_END)
                start = max(0, size - _TAIL_BYTES)
                await file.seek(start)
                lines = (await file.read()).split(b"\n")
        except FileNotFoundError:
            return []
        records = (_parsed(line) for line in (lines[1:] if start else lines))
        return [record for record in records if record is not None][-limit:]

    async def close(self) -> None:
        """Write what waits, then let go of the file."""
        while self._writer:
            await asyncio.wait([self._writer])
        if self._file is not None:
            os.close(self._file)
            self._file = None

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                problem = self._broken or await asyncio.to_thread(self._write, b"".join(line for line, _ in batch))
                for _, done in batch:
                    if not done.done():
                        done.set_exception(problem) if problem else done.set_result(None)
        finally:
            self._writer = None

    def _write(self, content: bytes) -> TriageError | None:
        """Write and sync one batch, in a thread; the answer is what went wrong."""
        try:
            file = self._opened()
            before = os.fstat(file).st_size
        except OSError as problem:
            return RetryLater(f"{self._path}: cannot be opened: {problem.strerror}")
        try:
            _write_whole(file, content)
        except OSError as problem:
            os.ftruncate(file, before)
            return RetryLater(f"{self._path}: cannot be written: {problem.strerror}")
        try:
            os.fsync(file)
        except OSError as problem:
            self._broken = TriageError(f"{self._path}: the disk failed to sync: {problem.strerror}; Triage must stop")
            self._on_broken(self._broken)
            return self._broken
        return None

    def _opened(self) -> int:
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            size = os.fstat(self._file).st_size
            if size and os.pread(self._file, 1, size - 1) != b"\n":  # a torn last line: the next must not join it
                _write_whole(self._file, b"\n")
        return self._file


def _write_whole(file: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None
