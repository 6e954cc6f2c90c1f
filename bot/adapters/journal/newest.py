"""Search of a journal for its newest records: part by part backwards, within a limit of bytes."""

from __future__ import annotations

import gzip
import json
import os
from collections import deque
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from bot.adapters.journal.parts import (
    MARGIN,
    first_time,
    lines_since,
    open_part,
    parse_record,
    parts,
    seek_time,
    sound,
)
from bot.models.journal_query import JournalPage
from bot.models.record_time import line_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from bot.adapters.journal.parts import Part
    from bot.models.journal_query import JournalQuery

_SPAN = 2_000_000
"""Bytes at the end of a plain file that are read first."""
MAX_BYTES = 128_000_000
"""Bytes of records after which no further part is read; a part has about half of that."""


def find_newest(path: Path, query: JournalQuery, *, max_bytes: int = MAX_BYTES) -> JournalPage:
    """Find the newest matching records; blocking. Parts of another time are not read."""
    records: list[dict[str, Any]] = []
    left, began = max_bytes, None
    with ExitStack() as stack:
        for file in _files(path, stack):
            if began is not None and began < query.since - MARGIN:
                break  # the next part began before, so this one is older as a whole
            if left <= 0 and began is not None and began < query.before:  # so that the next search comes further
                return JournalPage(records=tuple(records), read_back_to=began)
            began = first_time(sound((line for line in file), file.name)) or began
            if began is not None and began - MARGIN >= query.before:
                continue
            file.seek(0)
            newest, size = _search_part(path, file, query, query.limit - len(records) + 1)
            records += newest
            left -= size
            if len(records) > query.limit:
                return JournalPage(records=tuple(records[: query.limit]), has_more=True)
    return JournalPage(records=tuple(records))


def _files(path: Path, stack: ExitStack) -> Iterator[Part]:
    """Yield each part, opened, the newest first; one that is archived or compressed meanwhile is read once."""
    earlier = parts(path)
    newest = open_part(path)
    while parts(path) != earlier:  # archived between the two looks
        if newest is not None:
            newest.close()
        earlier, newest = parts(path), open_part(path)
    if newest is not None:
        stack.callback(newest.close)
        yield newest
    for part in reversed(earlier):
        if (file := open_part(part) or open_part(part.with_name(f"{part.name}.gz"))) is not None:
            stack.callback(file.close)
            yield file


def _search_part(path: Path, file: Part, query: JournalQuery, limit: int) -> tuple[list[dict[str, Any]], int]:
    """Return the newest matching records of one part, newest first, and the number of bytes that were read.

    Of a plain file the end is read first, then more of it; a compressed one must be read from its beginning.
    """
    since = query.since - MARGIN
    if isinstance(file, gzip.GzipFile):
        return _search_lines(path, sound(lines_since(file, since), file.name), query, limit)
    seek_time(file, since)
    first, end = file.tell(), os.fstat(file.fileno()).st_size
    for span in (_SPAN, _SPAN * 8, end):
        start = max(first, end - span)
        file.seek(start)
        if start > first:
            file.readline()  # its beginning is before
        newest, size = _search_lines(path, file, query, limit)
        if len(newest) == limit or start == first:
            break
    return newest, size


def _search_lines(
    path: Path, lines: Iterable[bytes], query: JournalQuery, limit: int
) -> tuple[list[dict[str, Any]], int]:
    needles = [json.dumps(text)[1:-1].encode() for text in query.contains]
    newest: deque[dict[str, Any]] = deque(maxlen=limit)
    size = 0
    for line in lines:
        size += len(line)
        if not all(needle in line for needle in needles):
            continue
        at = line_time(line)
        if at is None or not query.since <= at < query.before:
            continue
        record = parse_record(path, line)
        if record is not None and query.matches(record):
            newest.append(record)
    return [*reversed(newest)], size
