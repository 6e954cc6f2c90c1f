"""Database of an index: contents of files by tree, and passages of contents by key.

Content is identified by git's name, so identical files of two branches or paths are indexed once. Keys are stored in
segments, each of a few hundred contents that were indexed together: for each key its passages and their counts.
SQLite's own full text search is not used: rows without text cannot be deleted from it before 3.43.
"""

from __future__ import annotations

import json
import os
import sqlite3
from array import array
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

VERSION = "2"
"""Version of the schema; a database with another one is rebuilt."""
_BUSY = 20.0
"""Seconds to wait for another process that writes."""
MOST_DOCUMENTS = 60_000
"""Maximum number of documents of one segment; their numbers have 16 bits."""
_SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE tree(id INTEGER PRIMARY KEY, root TEXT UNIQUE NOT NULL, looked_at REAL, cost REAL, changes INTEGER,
  complete INTEGER NOT NULL DEFAULT 0);
CREATE TABLE path(id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL);
CREATE TABLE file(tree INTEGER, path INTEGER, blob INTEGER, changed INTEGER, size INTEGER, inode INTEGER,
  PRIMARY KEY(tree, path)) WITHOUT ROWID;
CREATE TABLE blob(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, segment INTEGER NOT NULL, passages TEXT NOT NULL);
CREATE TABLE segment(id INTEGER PRIMARY KEY, blobs BLOB, ordinals BLOB, lengths BLOB);
CREATE TABLE posting(segment INTEGER, key TEXT, documents BLOB, times BLOB, PRIMARY KEY(segment, key)) WITHOUT ROWID;
CREATE TABLE definition(name TEXT, blob INTEGER, first INTEGER, last INTEGER);
CREATE INDEX definition_name ON definition(name);
CREATE INDEX definition_blob ON definition(blob);
"""


@dataclass(slots=True)
class Segment:
    """Documents of a segment: `blobs[i]` is the content of document `i`, or a path if negative; `ordinals` the passage
    in it, `lengths` its number of keys."""

    blobs: array[int] = field(default_factory=lambda: array("q"))
    ordinals: array[int] = field(default_factory=lambda: array("H"))
    lengths: array[int] = field(default_factory=lambda: array("H"))


@dataclass(slots=True)
class SegmentWriter:
    """Segment under construction, in memory."""

    documents: Segment = field(default_factory=Segment)
    postings: dict[str, tuple[array[int], bytearray]] = field(default_factory=dict)
    size: int = 0
    """Number of postings."""

    def add(self, blob: int, ordinal: int, counts: Counter[str]) -> None:
        """Add a document."""
        number = len(self.documents.blobs)
        self.documents.blobs.append(blob)
        self.documents.ordinals.append(min(ordinal, 65_535))
        self.documents.lengths.append(min(counts.total(), 65_535))
        postings = self.postings
        for key, times in counts.items():
            posting = postings.get(key)
            if posting is None:
                posting = postings[key] = array("H"), bytearray()
            posting[0].append(number)
            posting[1].append(times if times < 255 else 255)
        self.size += len(counts)

    @property
    def is_full(self) -> bool:
        """Return whether the segment is full."""
        return self.size > 400_000 or len(self.documents.blobs) > MOST_DOCUMENTS // 2


class BrokenIndex(Exception):
    """The database cannot be read."""


class IndexStore:
    """Database of one index. Raises `BrokenIndex` for a file that is not a database, after removing it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        for can_retry in (True, False):
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
            db = sqlite3.connect(self.path, timeout=_BUSY, isolation_level=None, check_same_thread=False)
            try:
                db.execute("PRAGMA journal_mode=WAL")
                db.execute("PRAGMA synchronous=NORMAL")
                db.execute("PRAGMA cache_size=-16000")
                if self._is_current(db):
                    return db
            except sqlite3.OperationalError as problem:
                db.close()
                if "locked" in str(problem) or not can_retry:
                    raise BrokenIndex(str(problem)) from problem
            except sqlite3.DatabaseError:
                db.close()
            remove(self.path)
        raise BrokenIndex(f"{self.path} cannot be made")

    def _is_current(self, db: sqlite3.Connection) -> bool:
        """Return whether the database has this version; initialize a new one."""
        db.execute("BEGIN IMMEDIATE")
        try:
            if not db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                for statement in _SCHEMA.split(";\n"):
                    db.execute(statement)
                db.execute("INSERT INTO meta VALUES('version', ?)", (VERSION,))
            version = db.execute("SELECT value FROM meta WHERE key='version'").fetchone()
            db.execute("COMMIT")
        except sqlite3.DatabaseError:
            db.execute("ROLLBACK")
            raise
        if version != (VERSION,):
            db.close()
        return bool(version == (VERSION,))

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Run a block in one transaction."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a statement."""
        return self._db.execute(statement, values).fetchall()

    def write_segment(self, db: sqlite3.Connection, segment: SegmentWriter) -> int:
        """Write a segment; return its number."""
        documents = segment.documents
        cursor = db.execute(
            "INSERT INTO segment(blobs, ordinals, lengths) VALUES(?, ?, ?)",
            (documents.blobs.tobytes(), documents.ordinals.tobytes(), documents.lengths.tobytes()),
        )
        number = int(cursor.lastrowid or 0)
        db.executemany(
            "INSERT INTO posting VALUES(?, ?, ?, ?)",
            (
                (number, key, numbers.tobytes(), bytes(times))
                for key, (numbers, times) in sorted(segment.postings.items())
            ),
        )
        return number

    def segments(self, loaded: Iterable[int] = ()) -> dict[int, Segment]:
        """Read the documents of each segment, except the known ones."""
        ids = {number for (number,) in self.rows("SELECT id FROM segment")}
        segments = {}
        for number in ids - set(loaded):
            for blobs, ordinals, lengths in self.rows(
                "SELECT blobs, ordinals, lengths FROM segment WHERE id=?", (number,)
            ):
                segments[number] = Segment(_array("q", blobs), _array("H", ordinals), _array("H", lengths))
        return segments

    def postings(self, segment: int, keys: Sequence[str]) -> Iterator[tuple[str, array[int], bytes]]:
        """Yield each key of a segment with its documents, and its count in each."""
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            marks = ",".join("?" * len(part))
            for key, documents, times in self._db.execute(
                f"SELECT key, documents, times FROM posting WHERE segment=? AND key IN ({marks})",  # noqa: S608  # question marks alone
                (segment, *part),
            ):
                yield key, _array("H", documents), times

    def keys_from(self, segment: int, start: str) -> list[tuple[str, int]]:
        """List the keys of a segment with a prefix, each with the number of its passages."""
        rows = self._db.execute(
            "SELECT key, length(documents) / 2 FROM posting WHERE segment=? AND key>=? AND key<?",
            (segment, start, start + "\U0010ffff"),
        )
        return list(rows)

    def passages(self, blob: int) -> tuple[str, list[tuple[int, int, tuple[str, ...]]]]:
        """Return the name of a content, and its passages: first line, last line, names around it."""
        for name, encoded in self._db.execute("SELECT name, passages FROM blob WHERE id=?", (blob,)):
            return name, [(first, last, tuple(names)) for first, last, names in json.loads(encoded)]
        return "", []

    def definitions(self, name: str) -> list[tuple[int, int, int]]:
        """Return content, first and last line of each definition of a name, in any case."""
        rows = self._db.execute("SELECT blob, first, last FROM definition WHERE name=?", (name.lower(),))
        return [(blob, first, last) for blob, first, last in rows]


def remove(path: Path) -> None:
    """Remove a database with its side files."""
    for ending in ("", "-wal", "-shm", "-journal", ".lock", ".parsing"):
        with suppress(OSError):
            os.unlink(f"{path}{ending}")  # noqa: PTH108  # a string, once


def _array(kind: str, content: object) -> array[int]:
    values: array[int] = array(kind)
    values.frombytes(content if isinstance(content, bytes) else b"")
    return values
