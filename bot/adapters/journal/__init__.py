"""Journal: an append-only file of JSON lines with group commit; every ack depends on it.

One writer gathers the waiting records, writes them, syncs once, and only then lets the appends return. A write that
fails leaves no partial line and the append raises, so nothing is acknowledged. After a failed sync the file cannot be
trusted, so the journal accepts nothing more and requests a stop. A journal with `may_refuse=False` does the same
after a failed write, since its records are made after the ack and are not repeated before the next start. Any journal
may refuse a record that may be lost.

A file that has grown to `max_bytes` is renamed with its time and compressed; all parts are read (`parts`).
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic_core import to_json

from bot.adapters.journal.newest import find_newest
from bot.adapters.journal.parts import (
    archive_path,
    compress,
    first_line,
    last,
    parts,
    records,
    records_and_damage,
    take,
)
from bot.errors import RetryLater, TriageError
from bot.runtime.atomic_file import sync_folder
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from bot.models.journal_query import JournalPage, JournalQuery
    from bot.ports.storage import Stop

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)

MAX_BYTES = 64_000_000
"""The size from which a journal's file is archived."""

GATHERING = 0.008
"""Seconds that a batch waits for more records, if the last one came within this time; a lone record never waits."""

_BATCH = 2_000


class NdjsonJournal:
    """One journal: `path` is written, `<name>.<time>.ndjson.gz` beside it are its earlier parts.

    `stop` ends the process when the disk can no longer be trusted; `None` for one that is only read.
    """

    def __init__(
        self,
        path: Path,
        *,
        stop: Stop | None,
        may_refuse: bool = True,
        max_bytes: int = MAX_BYTES,
        gathering: float = GATHERING,
    ) -> None:
        self._path = path
        self._stop = stop
        self._may_refuse = may_refuse
        self._max_bytes = max_bytes
        self._gathering = gathering
        self._last_came = -math.inf
        self._file: int | None = None
        self._waiting: list[tuple[bytes, asyncio.Future[None], bool]] = []
        self._writer: asyncio.Task[None] | None = None
        self._broken: TriageError | None = None
        # A separate thread: a sync before an ack never queues behind a search.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"journal {path.stem}")
        # Compressing takes seconds, and no ack waits for it.
        self._packer = ThreadPoolExecutor(1, thread_name_prefix=f"packing {path.stem}")

    async def append(self, record: dict[str, Any], *, may_be_lost: bool = False) -> None:
        """Write a record and sync it to disk. Raises `RetryLater` if it could not be written."""
        await self.put(record, may_be_lost=may_be_lost)

    def put(self, record: dict[str, Any], *, may_be_lost: bool = False) -> asyncio.Future[None]:
        """Queue a record; when the returned future is done, the record is synced to disk."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        if self._broken:
            done.set_exception(self._broken)
            return done
        self._waiting.append((_line(record), done, may_be_lost or self._may_refuse))
        came, self._last_came = self._last_came, loop.time()
        if self._writer is None:
            busy = self._last_came - came < self._gathering
            self._writer = asyncio.create_task(self._write_all(gather=busy), name=f"journal {self._path.name}")
        return done

    async def tail(self, limit: int) -> list[dict[str, Any]]:
        """Return the last `limit` parsable records, oldest first, from the last few megabytes. Raises `TriageError`."""
        return await self._read(self._tail, limit)

    async def records(self, since: datetime | None = None) -> AsyncIterator[dict[str, Any]]:
        """Yield every parsable record of every part, oldest first.

        With `since` records with an earlier `received_at` are left out, except some that are not much older: parts
        known to be older as a whole are not read at all.
        """
        source = records(self._path, since)
        while batch := await self._read(take, source, _BATCH):
            for record in batch:
                yield record

    async def records_and_damage(self) -> AsyncIterator[dict[str, Any] | None]:
        """Yield every record of every part, oldest first, and `None` for each line that does not parse."""
        source = records_and_damage(self._path)
        while batch := await self._read(take, source, _BATCH):
            for record in batch:
                yield record

    async def newest(self, query: JournalQuery) -> JournalPage:
        """Find the newest records of a time; earlier parts are read as far as needed. Raises `TriageError`."""
        return await self._read(find_newest, self._path, query)

    async def _read(self, work: Callable[..., Answer], *arguments: Any) -> Answer:
        try:
            return await asyncio.to_thread(work, *arguments)
        except OSError as problem:
            raise TriageError(f"{self._path}: cannot be read: {problem.strerror}") from problem

    async def set_aside_if(self, is_over: Callable[[bytes], bool]) -> bool:
        """Archive the file, as if it were full, if `is_over` returns true for its oldest line; return whether it
        was."""
        line = await self._read(first_line, self._path)
        if line is None or not is_over(line):
            return False
        await asyncio.get_running_loop().run_in_executor(self._thread, self._set_aside)
        await self._wait_until_packed()
        return True

    async def _wait_until_packed(self) -> None:
        """Wait until no part is being compressed."""
        await asyncio.get_running_loop().run_in_executor(self._packer, lambda: None)

    async def close(self) -> None:
        """Write the waiting records, then close the file."""
        while self._writer:
            await asyncio.wait([self._writer])
        self._let_go()
        await self._wait_until_packed()
        self._thread.shutdown(wait=False)
        self._packer.shutdown(wait=False)

    async def _write_all(self, *, gather: bool) -> None:
        try:
            if gather:
                await asyncio.sleep(self._gathering)
            while self._waiting:
                batch, self._waiting = self._waiting, []
                may_refuse = all(may_refuse for _, _, may_refuse in batch)
                problem = self._broken or await self._write_batch(b"".join(line for line, _, _ in batch), may_refuse)
                for _, done, _ in batch:
                    if not done.done():
                        done.set_exception(problem) if problem else done.set_result(None)
        finally:
            self._writer = None

    async def _write_batch(self, content: bytes, may_refuse: bool) -> TriageError | None:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._write, content, may_refuse)
        except OSError as problem:
            return self._mark_broken(f"{self._path}: {problem.strerror}")

    def _write(self, content: bytes, may_refuse: bool) -> TriageError | None:
        """Write and sync one batch, in a thread; return the error, if any."""
        try:
            file = self._open_file()
            before = os.fstat(file).st_size
        except OSError as problem:
            return self._build_refusal(f"{self._path}: cannot be opened: {problem.strerror}", may_refuse)
        try:
            with passing("journal.write", self._path.name):
                _write_whole(file, content)
        except OSError as problem:
            with passing("journal.truncate", self._path.name):
                os.ftruncate(file, before)
            return self._build_refusal(f"{self._path}: cannot be written: {problem.strerror}", may_refuse)
        try:
            with passing("journal.sync", self._path.name):
                os.fsync(file)
        except OSError as problem:
            return self._mark_broken(f"{self._path}: the disk failed to sync: {problem.strerror}")
        if before + len(content) >= self._max_bytes:
            self._set_aside()
        return None

    def _build_refusal(self, what: str, may_refuse: bool) -> TriageError:
        return RetryLater(what) if may_refuse else self._mark_broken(what)

    def _mark_broken(self, what: str) -> TriageError:
        self._broken = TriageError(f"{what}; Triage must stop")
        if self._stop:
            self._stop.stop_for(self._broken)
        return self._broken

    def _open_file(self) -> int:
        if self._file is None:
            with passing("journal.open", self._path.name):
                file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                sync_folder(self._path.parent, point="journal")
            except OSError:
                os.close(file)
                raise
            self._file = file
            size = os.fstat(self._file).st_size
            if size and os.pread(self._file, 1, size - 1) != b"\n":  # a torn last line: the next must not join it
                with passing("journal.heal", self._path.name):
                    _write_whole(self._file, b"\n")
        return self._file

    def _set_aside(self) -> None:
        """Rename the full file and have it compressed; a failure is retried with the next full batch."""
        try:
            self._let_go()
            with passing("journal.set_aside", self._path.name):
                self._path.replace(archive_path(self._path, datetime.now(UTC)))
            sync_folder(self._path.parent, point="journal")
        except OSError as problem:
            log.warning("%s: could not be set aside: %s", self._path, problem.strerror)
        self._packer.submit(self._pack)

    def _pack(self) -> None:
        try:
            for part in parts(self._path):
                if part.suffix == ".ndjson":
                    compress(part)
        except OSError as problem:
            log.warning("%s: an earlier part could not be compressed: %s", self._path, problem.strerror)

    def _let_go(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _tail(self, limit: int) -> list[dict[str, Any]]:
        tail_records = last(self._path, limit)
        for part in reversed(parts(self._path)):
            if len(tail_records) >= limit:
                break
            tail_records = [*last(part, limit - len(tail_records)), *tail_records]
        return tail_records


def _line(record: dict[str, Any]) -> bytes:
    try:
        return to_json(record) + b"\n"
    except ValueError:  # half of a surrogate pair: valid as a JSON escape, but not in UTF-8
        return json.dumps(record, separators=(",", ":"), default=str).encode() + b"\n"


def _write_whole(file: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]
