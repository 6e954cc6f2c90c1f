"""Parts of a journal as files: archiving, compressing and reading them.

A crash may have cut any file: a line that does not parse is skipped, and a damaged compressed part is read up to the
damage.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import shutil
import zlib
from datetime import timedelta
from typing import IO, TYPE_CHECKING, Any, TypeVar

from bot.models.record_time import line_time
from bot.runtime.atomic_file import sync_folder
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

log = logging.getLogger(__name__)

Part = IO[bytes] | gzip.GzipFile
Record = TypeVar("Record")

_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)
"""Errors of a damaged compressed part."""
_TAIL_BYTES = 4_000_000
_RECORD_BYTES = 2_000
MARGIN = timedelta(hours=1)
"""Time by which a record may be older than the one before it, since a machine's clock may be set back."""

_CLOSE_BYTES = 64_000
"""Precision of the search for a position in a file."""

_QUICKLY = 1
"""gzip's level for a part: acks wait while it is compressed, and Slack waits three seconds for them."""

_PROBED = 100
"""Number of lines searched for one with a time."""


def archive_path(path: Path, now: datetime) -> Path:
    """Return the name under which a file is archived."""
    return path.with_name(f"{path.stem}.{now:%Y%m%dT%H%M%S%f}.ndjson")


def parts(path: Path) -> list[Path]:
    """Return the archived parts, oldest first; uncompressed ones included."""
    by_name = {part.name.removesuffix(".gz"): part for part in sorted(path.parent.glob(f"{path.stem}.*.ndjson.gz"))}
    by_name |= {part.name: part for part in path.parent.glob(f"{path.stem}.*.ndjson")}
    return [by_name[name] for name in sorted(by_name)]


def compress(part: Path) -> None:
    """Replace a plain part by its compressed one, safely at every step.

    A part that is rewritten meanwhile stays plain until the next time.
    """
    beside, before = part.with_suffix(".tmp"), part.stat()
    with passing("journal.open_part", part.name):
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as raw, part.open("rb") as plain:
        with passing("journal.compress", part.name):
            with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=_QUICKLY, filename="", mtime=0) as packed:
                shutil.copyfileobj(plain, packed)
            raw.flush()
        with passing("journal.sync_part", part.name):
            os.fsync(raw.fileno())
    if part.stat().st_mtime_ns != before.st_mtime_ns:
        beside.unlink()
        return
    with passing("journal.rename_part", part.name):
        beside.replace(part.with_name(f"{part.name}.gz"))
    sync_folder(part.parent, point="journal")
    with passing("journal.unlink_part", part.name):
        part.unlink()


def _lines(path: Path, *, last_bytes: int = 0) -> Iterator[bytes]:
    """Yield the lines of one part; with `last_bytes` only those at its end, of which the first may be cut."""
    if (file := open_part(path)) is None:
        return
    with file:
        if last_bytes and path.suffix != ".gz" and (start := os.fstat(file.fileno()).st_size - last_bytes) > 0:
            file.seek(start)
            file.readline()
        yield from sound(file, path)


def sound(lines: Iterable[bytes], name: object) -> Iterator[bytes]:
    """Yield the lines up to the damage in a compressed part: one damaged part must not prevent a start."""
    try:
        yield from lines
    except _DAMAGE as problem:
        log.warning("%s: it is damaged and is read only up to the damage: %s", name, problem)


def last(path: Path, limit: int) -> list[dict[str, Any]]:
    """Return the last `limit` records of one part, from its last megabytes."""
    parsed = (parse_record(path, line) for line in _lines(path, last_bytes=max(_TAIL_BYTES, limit * _RECORD_BYTES)))
    return [record for record in parsed if record is not None][-limit:]


def first_line(path: Path) -> bytes | None:
    """Return the oldest line of one part."""
    return next(iter(_lines(path)), None)


def records(path: Path, since: datetime | None = None) -> Iterator[dict[str, Any]]:
    """Yield the records of all parts, oldest first; with `since` from shortly before the first one of that time."""
    start = None if since is None else since - MARGIN
    for file in _files(path, start):
        with file:
            for line in sound(lines_since(file, start) if start else file, file.name):
                if (record := parse_record(path, line)) is not None:
                    yield record


def records_and_damage(path: Path) -> Iterator[dict[str, Any] | None]:
    """Yield the records of all parts, oldest first, and `None` for each damage: a line, or the rest of a part."""
    for file in _files(path, None):
        with file:
            try:
                yield from (parse_record(path, line) for line in file if line.strip())
            except _DAMAGE as problem:
                log.warning("%s: it is damaged: %s", file.name, problem)
                yield None


def _files(path: Path, since: datetime | None) -> Iterator[Part]:
    """Yield each part, opened; one that is archived or compressed meanwhile is neither left out nor read twice."""
    done = {_name(part) for part in _list_older(parts(path), path, since)} if since else set[str]()
    while True:
        for part in parts(path):
            if _name(part) not in done:
                done.add(_name(part))
                if (file := open_part(part) or open_part(part.with_name(f"{part.name}.gz"))) is not None:
                    yield file
        newest = open_part(path)
        if all(_name(part) in done for part in parts(path)):
            break
        if newest is not None:
            newest.close()  # it was archived between the two looks
    if newest is not None:
        yield newest


def _list_older(older_parts: list[Path], path: Path, since: datetime) -> list[Path]:
    """Return the parts that are older as a whole: the next part's oldest record is older, too."""
    following = [*older_parts, path]
    for place in range(len(older_parts), 0, -1):
        oldest = first_time(_lines(following[place]))
        if oldest is not None and oldest < since:
            return older_parts[:place]
    return []


def _name(part: Path) -> str:
    return part.name.removesuffix(".gz")


def open_part(part: Path) -> Part | None:
    try:
        with passing("journal.read", part.name):
            return gzip.open(part, "rb") if part.suffix == ".gz" else part.open("rb")
    except FileNotFoundError:
        return None


def lines_since(file: Part, since: datetime) -> Iterator[bytes]:
    """Yield the lines of one part from shortly before `since` on; compressed parts must be read from the beginning."""
    if not isinstance(file, gzip.GzipFile):
        seek_time(file, since)
    for line in file:
        if (at := line_time(line)) is None or at >= since:
            yield line
            yield from file


def seek_time(file: IO[bytes], since: datetime) -> None:
    """Seek to the start of a line, shortly before the first one of `since`."""
    low, high = 0, os.fstat(file.fileno()).st_size
    while high - low > _CLOSE_BYTES:
        middle = (low + high) // 2
        file.seek(middle)
        file.readline()
        at = first_time(file)
        if at is not None and at < since:
            low = middle
        else:
            high = middle
    file.seek(low)
    if low:
        file.readline()


def first_time(lines: Iterable[bytes]) -> datetime | None:
    """Return the time of the first of these records that has one; `None` if none of the first ones does."""
    for _, line in zip(range(_PROBED), lines, strict=False):
        if (at := line_time(line)) is not None:
            return at
    return None


def parse_record(path: Path, line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line) if line.strip() else None
    except ValueError:
        log.warning("%s: a line of %d bytes does not parse and is skipped", path, len(line))
        return None
    return record if isinstance(record, dict) else None


def take(source: Iterator[Record], count: int) -> list[Record]:
    """Return the next `count` records."""
    return [record for _, record in zip(range(count), source, strict=False)]
