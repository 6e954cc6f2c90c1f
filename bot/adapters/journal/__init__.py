"""An append-only file of JSON lines with group commit (`Journal`): the promise that stands before every ack.

One writer gathers what is waiting, writes it, syncs once, and only then lets the appends return. A write that fails
leaves no half line behind and the append raises, so nothing is acknowledged; after a sync that failed nothing that the
file says can be trusted, so the journal takes nothing more and says so to `on_broken`. So does a journal that may not
refuse: what it records comes after an ack and is told by nobody again, but by the next start. A record that may be
lost is refused by any journal.

A file that has grown to `max_bytes` is set aside under its time and compressed; reading goes through all of them
(`parts`).
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

from bot.adapters.journal.parts import aside, compress, first_line, last, parts, records, take
from bot.errors import RetryLater, TriageError
from bot.runtime.atomic_file import sync_folder
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)

MAX_BYTES = 64_000_000
"""The size from which a journal's file is set aside."""

GATHERING = 0.008
"""Seconds that a batch waits for company, where the last record came no longer ago; a lone record never waits."""

_BATCH = 2_000


class NdjsonJournal:
    """One journal: `path` is written, `<name>.<time>.ndjson.gz` beside it are its earlier parts.

    `on_broken` is told once when the disk can no longer be trusted.
    """

    def __init__(
        self,
        path: Path,
        *,
        on_broken: Callable[[TriageError], None],
        may_refuse: bool = True,
        max_bytes: int = MAX_BYTES,
        gathering: float = GATHERING,
    ) -> None:
        self._path = path
        self._on_broken = on_broken
        self._may_refuse = may_refuse
        self._max_bytes = max_bytes
        self._gathering = gathering
        self._last_came = -math.inf
        self._file: int | None = None
        self._waiting: list[tuple[bytes, asyncio.Future[None], bool]] = []
        self._writer: asyncio.Task[None] | None = None
        self._broken: TriageError | None = None
        # A thread of its own: a sync before an ack never queues behind somebody's search.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"journal {path.stem}")
        # Packing takes seconds, and no ack waits for it.
        self._packer = ThreadPoolExecutor(1, thread_name_prefix=f"packing {path.stem}")

    async def append(self, record: dict[str, Any], *, may_be_lost: bool = False) -> None:
        """Return once the record is synced to disk. Raises `RetryLater` when it could not be written."""
        await self.put(record, may_be_lost=may_be_lost)

    def put(self, record: dict[str, Any], *, may_be_lost: bool = False) -> asyncio.Future[None]:
        """Have a record written; once the answer is done it is synced to disk."""
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
        """The last `limit` records that parse, oldest first, from the last few megabytes. Raises `TriageError`."""
        return await self._read(self._tail, limit)

    async def records(self, since: datetime | None = None) -> AsyncIterator[dict[str, Any]]:
        """Every record of every part that parses, oldest first.

        With `since` those that came in earlier by their `received_at` are left out, but for some that are not much
        older: they are not read at all where a part is known to be older as a whole.
        """
        source = records(self._path, since)
        while batch := await self._read(take, source, _BATCH):
            for record in batch:
                yield record

    async def _read(self, work: Callable[..., Answer], *arguments: Any) -> Answer:
        try:
            return await asyncio.to_thread(work, *arguments)
        except OSError as problem:
            raise TriageError(f"{self._path}: cannot be read: {problem.strerror}") from problem

    async def set_aside_if(self, is_over: Callable[[bytes], bool]) -> bool:
        """Set the file aside, as when it is full, if `is_over` says so of its oldest line; says whether it was."""
        line = await self._read(first_line, self._path)
        if line is None or not is_over(line):
            return False
        await asyncio.get_running_loop().run_in_executor(self._thread, self._set_aside)
        await self._packed()
        return True

    async def _packed(self) -> None:
        """Return when nothing is being packed."""
        await asyncio.get_running_loop().run_in_executor(self._packer, lambda: None)

    async def close(self) -> None:
        """Write what waits, then let go of the file."""
        while self._writer:
            await asyncio.wait([self._writer])
        self._let_go()
        await self._packed()
        self._thread.shutdown(wait=False)
        self._packer.shutdown(wait=False)

    async def _write_all(self, *, gather: bool) -> None:
        try:
            if gather:
                await asyncio.sleep(self._gathering)
            while self._waiting:
                batch, self._waiting = self._waiting, []
                may_refuse = all(may_refuse for _, _, may_refuse in batch)
                problem = self._broken or await self._written(b"".join(line for line, _, _ in batch), may_refuse)
                for _, done, _ in batch:
                    if not done.done():
                        done.set_exception(problem) if problem else done.set_result(None)
        finally:
            self._writer = None

    async def _written(self, content: bytes, may_refuse: bool) -> TriageError | None:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._write, content, may_refuse)
        except OSError as problem:
            return self._broke(f"{self._path}: {problem.strerror}")

    def _write(self, content: bytes, may_refuse: bool) -> TriageError | None:
        """Write and sync one batch, in a thread; the answer is what went wrong."""
        try:
            file = self._opened()
            before = os.fstat(file).st_size
        except OSError as problem:
            return self._refused(f"{self._path}: cannot be opened: {problem.strerror}", may_refuse)
        try:
            with passing("journal.write", self._path.name):
                _write_whole(file, content)
        except OSError as problem:
            with passing("journal.truncate", self._path.name):
                os.ftruncate(file, before)
            return self._refused(f"{self._path}: cannot be written: {problem.strerror}", may_refuse)
        try:
            with passing("journal.sync", self._path.name):
                os.fsync(file)
        except OSError as problem:
            return self._broke(f"{self._path}: the disk failed to sync: {problem.strerror}")
        if before + len(content) >= self._max_bytes:
            self._set_aside()
        return None

    def _refused(self, what: str, may_refuse: bool) -> TriageError:
        return RetryLater(what) if may_refuse else self._broke(what)

    def _broke(self, what: str) -> TriageError:
        self._broken = TriageError(f"{what}; Triage must stop")
        self._on_broken(self._broken)
        return self._broken

    def _opened(self) -> int:
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
        """Give the full file a name of its own and have it packed; whatever fails here is tried at the next turn."""
        try:
            self._let_go()
            with passing("journal.set_aside", self._path.name):
                self._path.replace(aside(self._path, datetime.now(UTC)))
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
            log.warning("%s: an earlier part could not be packed: %s", self._path, problem.strerror)

    def _let_go(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _tail(self, limit: int) -> list[dict[str, Any]]:
        found = last(self._path, limit)
        for part in reversed(parts(self._path)):
            if len(found) >= limit:
                break
            found = [*last(part, limit - len(found)), *found]
        return found


def _line(record: dict[str, Any]) -> bytes:
    try:
        return to_json(record) + b"\n"
    except ValueError:  # half of a surrogate pair, which UTF-8 cannot say and JSON's escapes can
        return json.dumps(record, separators=(",", ":"), default=str).encode() + b"\n"


def _write_whole(file: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]
