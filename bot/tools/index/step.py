"""Indexing step: reads files one by one, and writes their content in one transaction."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from bot.decide.redaction.redactor import Redactor
from bot.decide.retrieval.word_keys import count_keys, literal_key
from bot.errors import ToolError
from bot.tools import files
from bot.tools.index.content import Content, name_of, read_content
from bot.tools.index.exclusive import ParserCrashNote
from bot.tools.index.store import SegmentWriter

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bot.tools.index.store import IndexStore

_MOST_FILES = 600


class IndexStep:
    """Files of one tree that were read and are not written yet."""

    def __init__(self, store: IndexStore, root: Path, tree: int) -> None:
        self._store, self._root, self._tree = store, root, tree
        self._redactor = Redactor()
        self._segment = SegmentWriter()
        self._paths: dict[str, int] = {}
        self._blobs: dict[str, int] = {}
        self._kept: list[tuple[int, str, str]] = []
        self._defined: list[tuple[str, int, int, int]] = []
        self._files: list[tuple[str, int]] = []
        self._next_path, self._next_blob = _next_id(store, "path"), _next_id(store, "blob")

    def read(self, paths: Sequence[str], until: float) -> int:
        """Read files up to a time of the monotonic clock, or until the step is full; return their number."""
        at = 0
        with ParserCrashNote(self._store) as native:
            for at, path in enumerate(paths, start=1):
                self._add(path, native)
                if self._segment.is_full or at >= _MOST_FILES or time.monotonic() > until:
                    break
        return at

    def write(self, stats: Mapping[str, tuple[int, int, int]]) -> None:
        """Write all files in one transaction, each with its time, size and inode."""
        with self._store.writing() as db:
            number = self._store.write_segment(db, self._segment) if self._segment.documents.blobs else 0
            db.executemany("INSERT INTO path VALUES(?, ?)", [(path_id, path) for path, path_id in self._paths.items()])
            db.executemany(
                "INSERT INTO blob VALUES(?, ?, ?, ?)", [(blob, name, number, parts) for blob, name, parts in self._kept]
            )
            db.executemany("INSERT INTO definition VALUES(?, ?, ?, ?)", self._defined)
            db.executemany(
                "INSERT OR REPLACE INTO file SELECT ?, id, ?, ?, ?, ? FROM path WHERE path=?",
                [(self._tree, blob, *stats[path], path) for path, blob in self._files],
            )

    def _add(self, path: str, native: ParserCrashNote) -> None:
        if not self._store.rows("SELECT 1 FROM path WHERE path=?", (path,)):
            self._paths[path] = self._next_path
            self._segment.add(-self._next_path, 0, _path_keys(path))
            self._next_path += 1
        name, content = _content(self._root, path)
        blob = self._blobs.get(name) or _blob(self._store, name)
        if blob is None:
            blob = self._blobs[name] = self._next_blob
            self._next_blob += 1
            self._keep(blob, name, _index_content(path, name, content, self._redactor, native))
        self._files.append((path, blob))

    def _keep(self, blob: int, name: str, content: Content) -> None:
        """Store the passages of a content, with their keys, and its definitions."""
        parts = [(part.start, part.end, part.names) for part in content.passages]
        self._kept.append((blob, name, json.dumps(parts, separators=(",", ":")) if content.parsed else "[]"))
        for ordinal, counts in enumerate(content.keys):
            self._segment.add(blob, ordinal, counts)
        self._defined += [
            (_normalise_name(definition.name), blob, definition.first, definition.last)
            for definition in content.definitions
        ]


def _index_content(path: str, name: str, content: bytes, redactor: Redactor, native: ParserCrashNote) -> Content:
    """Build the indexed content; content that crashed the parser before is split by lines."""
    with native.parsing(name) as may_parse:
        return read_content(path, content, redactor.redact, parse=may_parse)


def _content(root: Path, path: str) -> tuple[str, bytes]:
    """Return the name of a file's content and the content; empty for an unreadable file."""
    try:
        content = files.read_content(root, path)
    except ToolError:
        content = b""
    return name_of(path, content), content


def _blob(store: IndexStore, name: str) -> int | None:
    rows = store.rows("SELECT id FROM blob WHERE name=?", (name,))
    return int(rows[0][0]) if rows else None


def _next_id(store: IndexStore, table: str) -> int:
    return int(str(store.rows(f"SELECT coalesce(max(id), 0) + 1 FROM {table}")[0][0]))  # noqa: S608  # a table's name


def _path_keys(path: str) -> Counter[str]:
    """Count the keys of a path, each with a slash before it."""
    counts = count_keys(path.rpartition(".")[0] or path)
    counts[literal_key(path.rpartition("/")[2])] += 1
    for key in list(counts):
        counts[f"/{key}"] = counts.pop(key)
    return counts


def _normalise_name(name: str) -> str:
    """Normalize a definition's name for lookup: its last part, in lower case."""
    return name.replace("::", ".").rpartition(".")[2].lower()
