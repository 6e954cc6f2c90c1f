"""Compaction of an index: removes deleted trees, and merges small segments without unused contents."""

from __future__ import annotations

import os
from array import array
from itertools import groupby
from typing import TYPE_CHECKING

from bot.tools.index.store import Segment

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Mapping

    from bot.tools.index.store import IndexStore

_MOST_SEGMENTS = 24
_MERGED_BELOW = 20_000
"""Number of documents below which a segment is merged with others."""
_MOST_MERGED = 50_000


def compact_index(store: IndexStore) -> None:
    """Remove trees without a folder, and merge segments if there are many, or one is mostly unused."""
    for number, root in store.rows("SELECT id, root FROM tree"):
        if not os.path.isdir(str(root)):  # noqa: PTH112  # a string, once
            with store.writing() as db:
                db.execute("DELETE FROM file WHERE tree=?", (number,))
                db.execute("DELETE FROM tree WHERE id=?", (number,))
    segments = store.segments()
    live = _contents_in_use(store)
    sizes = {number: sum(blob in live for blob in item.blobs) for number, item in segments.items()}
    wasted = {number for number, size in sizes.items() if size * 2 < len(segments[number].blobs)}
    small = {number for number, size in sizes.items() if size < _MERGED_BELOW}
    chosen = wasted | (small if len(segments) > _MOST_SEGMENTS else set())
    group: list[int] = []
    for number in [*sorted(chosen), -1]:
        total = sum(sizes[item] for item in group)
        if group and (number < 0 or total + sizes[number] > _MOST_MERGED):
            if len(group) > 1 or group[0] in wasted:
                with store.writing() as db:
                    _merge(db, {item: segments[item] for item in group}, live)
            group = []
        group.append(number)


def _contents_in_use(store: IndexStore) -> frozenset[int]:
    """Return the contents that a tree holds, and the negative numbers of its paths."""
    blobs = (int(str(blob)) for (blob,) in store.rows("SELECT DISTINCT blob FROM file"))
    return frozenset((*blobs, *(-int(str(path)) for (path,) in store.rows("SELECT DISTINCT path FROM file"))))


def _merge(db: sqlite3.Connection, segments: Mapping[int, Segment], live: Collection[int]) -> None:
    """Merge several segments into one, key by key."""
    merged = Segment()
    numbers: dict[int, array[int]] = {}
    for number, segment in segments.items():
        numbers[number] = array("i", [-1]) * len(segment.blobs)
        for at, blob in enumerate(segment.blobs):
            if blob in live:
                numbers[number][at] = len(merged.blobs)
                merged.blobs.append(blob)
                merged.ordinals.append(segment.ordinals[at])
                merged.lengths.append(segment.lengths[at])
    cursor = db.execute(
        "INSERT INTO segment(blobs, ordinals, lengths) VALUES(?, ?, ?)",
        (merged.blobs.tobytes(), merged.ordinals.tobytes(), merged.lengths.tobytes()),
    )
    new = cursor.lastrowid
    marks = ",".join("?" * len(segments))
    rows = db.execute(
        f"SELECT key, segment, documents, times FROM posting WHERE segment IN ({marks}) ORDER BY key, segment",  # noqa: S608  # question marks alone
        [*segments],
    )
    whole = {number: places[0] for number, places in numbers.items() if places and -1 not in places}
    for key, group in groupby(rows, key=lambda row: row[0]):
        documents, times = array("H"), bytearray()
        for _, number, encoded, counts in group:
            old: array[int] = array("H")
            old.frombytes(encoded)
            if number in whole:
                documents.extend(map(whole[number].__add__, old))
                times += counts
                continue
            for at, count in zip(old, counts, strict=True):
                if (place := numbers[number][at]) >= 0:
                    documents.append(place)
                    times.append(count)
        if documents:
            db.execute("INSERT INTO posting VALUES(?, ?, ?, ?)", (new, key, documents.tobytes(), bytes(times)))
    _forget(db, segments, live)
    db.execute(f"UPDATE blob SET segment=? WHERE segment IN ({marks})", (new, *segments))  # noqa: S608  # the same


def _forget(db: sqlite3.Connection, segments: Mapping[int, Segment], live: Collection[int]) -> None:
    """Delete segments, with all their contents that no tree holds."""
    unused = {blob for segment in segments.values() for blob in segment.blobs if blob not in live}
    db.executemany("DELETE FROM posting WHERE segment=?", [(number,) for number in segments])
    db.executemany("DELETE FROM segment WHERE id=?", [(number,) for number in segments])
    db.executemany("DELETE FROM definition WHERE blob=?", [(blob,) for blob in unused if blob > 0])
    db.executemany("DELETE FROM blob WHERE id=?", [(blob,) for blob in unused if blob > 0])
    db.executemany("DELETE FROM path WHERE id=?", [(-blob,) for blob in unused if blob < 0])
