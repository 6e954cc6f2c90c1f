"""An append-only file of JSON lines with group commit (`Journal`): the promise that stands before every ack.

One writer gathers what is waiting, writes it, syncs once, and only then lets the appends return. A write that fails
leaves no half line behind and the append raises, so nothing is acknowledged; after a sync that failed nothing that the
file says can be trusted, so the journal takes nothing more and says so to `on_broken`. So does a journal that may not
refuse: what it records comes after an ack and is told by nobody again, but by the next start.

A file that has grown to `max_bytes` is set aside under its time and compressed; reading goes through all of them.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bot.errors import RetryLater, TriageError
from bot.faultpoints import passing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

MAX_BYTES = 64_000_000
"""The size from which a journal's file is set aside."""

_TAIL_BYTES = 4_000_000
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
    ) -> None:
        self._path = path
        self._on_broken = on_broken
        self._may_refuse = may_refuse
        self._max_bytes = max_bytes
        self._file: int | None = None
        self._waiting: list[tuple[bytes, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None
        self._broken: TriageError | None = None
        # A thread of its own: a sync before an ack never queues behind somebody's search.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"journal {path.stem}")

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
        """The last `limit` records that parse, oldest first, from the last few megabytes."""
        return await asyncio.to_thread(self._tail, limit)

    async def records(self) -> AsyncIterator[dict[str, Any]]:
        """Every record of every part that parses, oldest first."""
        source = _records(self._path)
        while batch := await asyncio.to_thread(_take, source, _BATCH):
            for record in batch:
                yield record

    async def close(self) -> None:
        """Write what waits, then let go of the file."""
        while self._writer:
            await asyncio.wait([self._writer])
        self._let_go()
        self._thread.shutdown(wait=False)

    async def _write_all(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting, []
                problem = self._broken or await self._written(b"".join(line for line, _ in batch))
                for _, done in batch:
                    if not done.done():
                        done.set_exception(problem) if problem else done.set_result(None)
        finally:
            self._writer = None

    async def _written(self, content: bytes) -> TriageError | None:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._write, content)
        except OSError as problem:
            return self._broke(f"{self._path}: {problem.strerror}")

    def _write(self, content: bytes) -> TriageError | None:
        """Write and sync one batch, in a thread; the answer is what went wrong."""
        try:
            file = self._opened()
            before = os.fstat(file).st_size
        except OSError as problem:
            return self._refused(f"{self._path}: cannot be opened: {problem.strerror}")
        try:
            with passing("journal.write", self._path.name):
                _write_whole(file, content)
        except OSError as problem:
            with passing("journal.truncate", self._path.name):
                os.ftruncate(file, before)
            return self._refused(f"{self._path}: cannot be written: {problem.strerror}")
        try:
            with passing("journal.sync", self._path.name):
                os.fsync(file)
        except OSError as problem:
            return self._broke(f"{self._path}: the disk failed to sync: {problem.strerror}")
        if before + len(content) >= self._max_bytes:
            self._set_aside()
        return None

    def _refused(self, what: str) -> TriageError:
        return RetryLater(what) if self._may_refuse else self._broke(what)

    def _broke(self, what: str) -> TriageError:
        self._broken = TriageError(f"{what}; Triage must stop")
        self._on_broken(self._broken)
        return self._broken

    def _opened(self) -> int:
        if self._file is None:
            with passing("journal.open", self._path.name):
                file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                _sync_folder(self._path.parent)
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
        """Give the full file a name of its own and compress it; whatever fails here is tried at the next turn."""
        try:
            self._let_go()
            with passing("journal.set_aside", self._path.name):
                self._path.replace(_aside(self._path, datetime.now(UTC)))
            _sync_folder(self._path.parent)
            for part in _parts(self._path):
                if part.suffix == ".ndjson":
                    _compress(part)
        except OSError as problem:
            log.warning("%s: could not be set aside: %s", self._path, problem.strerror)

    def _let_go(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _tail(self, limit: int) -> list[dict[str, Any]]:
        found = _last(self._path, limit)
        for part in reversed(_parts(self._path)):
            if len(found) >= limit:
                break
            found = [*_last(part, limit - len(found)), *found]
        return found


def _aside(path: Path, now: datetime) -> Path:
    return path.with_name(f"{path.stem}.{now:%Y%m%dT%H%M%S%f}.ndjson")


def _parts(path: Path) -> list[Path]:
    """The parts that were set aside, oldest first; one that is not yet compressed counts as it is."""
    found = {part.name.removesuffix(".gz"): part for part in sorted(path.parent.glob(f"{path.stem}.*.ndjson.gz"))}
    found |= {part.name: part for part in path.parent.glob(f"{path.stem}.*.ndjson")}
    return [found[name] for name in sorted(found)]


def _compress(part: Path) -> None:
    beside = part.with_suffix(".tmp")
    with passing("journal.open_part", part.name):
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as raw, part.open("rb") as plain:
        with passing("journal.compress", part.name):
            with gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as packed:
                shutil.copyfileobj(plain, packed)
            raw.flush()
        with passing("journal.sync_part", part.name):
            os.fsync(raw.fileno())
    with passing("journal.rename_part", part.name):
        beside.replace(part.with_name(f"{part.name}.gz"))
    _sync_folder(part.parent)
    with passing("journal.unlink_part", part.name):
        part.unlink()


def _lines(path: Path, *, last_only: bool = False) -> Iterator[bytes]:
    """The lines of one part; with `last_only` those of its last megabytes, of which the first may be cut."""
    try:
        if path.suffix == ".gz":
            with passing("journal.read", path.name):
                raw = path.open("rb")
            with raw, gzip.GzipFile(fileobj=raw) as packed:
                yield from packed
            return
        with passing("journal.read", path.name):
            file = path.open("rb")
        with file:
            if last_only and (start := os.fstat(file.fileno()).st_size - _TAIL_BYTES) > 0:
                file.seek(start)
                file.readline()
            yield from file
    except FileNotFoundError:
        return


def _last(path: Path, limit: int) -> list[dict[str, Any]]:
    records = (_parsed(path, line) for line in _lines(path, last_only=True))
    return [record for record in records if record is not None][-limit:]


def _records(path: Path) -> Iterator[dict[str, Any]]:
    for part in (*_parts(path), path):
        for line in _lines(part):
            if (record := _parsed(part, line)) is not None:
                yield record


def _parsed(path: Path, line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line) if line.strip() else None
    except ValueError:
        log.warning("%s: a line of %d bytes does not parse and is passed over", path, len(line))
        return None
    return record if isinstance(record, dict) else None


def _take(source: Iterator[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    return [record for _, record in zip(range(count), source, strict=False)]


def _write_whole(file: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(file, view) :]


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        with passing("journal.sync_folder", folder.name):
            os.fsync(handle)
    finally:
        os.close(handle)
