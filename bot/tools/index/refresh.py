"""Refresh of an index: what has changed in a tree since it was looked at, found as git finds it, and indexed in steps.

A file whose time, size and inode are as before is not read; one whose content is known by its name is not indexed. Each
step is one transaction, so a process may be killed at any time. One process indexes at a time, by a lock that the
system lets go of; others use what is there.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import stat
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.redact import Redactor
from bot.decide.word_keys import count_keys, literal_key
from bot.errors import ToolError
from bot.tools import files
from bot.tools.index.content import Content, name_of, read_content
from bot.tools.index.exclusive import NativeNote, lock
from bot.tools.index.store import SegmentWriter
from bot.tools.index.tidy import tidy
from bot.tools.roots import settled
from bot.tools.search import list_files

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence
    from pathlib import Path

    from bot.tools.index.store import Store

_log = logging.getLogger(__name__)

MOST_SECONDS = 45.0
"""How long a question waits for a tree to be indexed; what is missing is indexed at the next one."""
_STEP_SECONDS = 2.0
_STEP_FILES = 600
_SMALL = 3_000
"""Files of a tree that is looked at for each question."""
_TIMES = 12
"""A look at a larger one is taken again after so many times as long."""
_LONGEST_PAUSE = 30.0

Known = dict[str, tuple[int, int, int, int, int]]
"""By path: its number, its content's, time of change, size, inode."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree as the index has it."""

    number: int
    changes: int
    """How often it was found changed."""
    complete: bool
    """Whether each of its files was read."""


@dataclass
class _Progress:
    """One look at a tree."""

    started: float = field(default_factory=time.monotonic)
    told: float = 0.0
    done: int = 0

    def tell(self, root: Path, left: int) -> None:
        """Say in the log how far it is, every two seconds."""
        now = time.monotonic()
        if now - max(self.told, self.started) >= _STEP_SECONDS:
            self.told = now
            _log.info("Indexing %s: %d files read, %d left", root, self.done, left)


def refresh(store: Store, root: Path, ignore: Sequence[str] = (), seconds: float = MOST_SECONDS) -> Tree:
    """Bring the index of a tree up to date, for at most so many seconds. Raises `ToolError` as `list_files` does."""
    real = str(settled(root))
    tree = _tree(store, real)
    if tree is not None and tree[2] and time.time() < tree[3]:
        return Tree(tree[0], tree[1], complete=True)
    with lock(store.path, wait=0.0 if tree and tree[2] else seconds) as held:
        if not held:
            there = _tree(store, real)
            return Tree(there[0], there[1], bool(there[2])) if there else Tree(0, 0, complete=False)
        return _look(store, root, real, ignore, time.monotonic() + seconds)


def _tree(store: Store, real: str) -> tuple[int, int, int, float] | None:
    """Number, changes, completeness and when it is to be looked at again."""
    for number, changes, complete, looked_at, cost in store.rows(
        "SELECT id, changes, complete, looked_at, cost FROM tree WHERE root=?", (real,)
    ):
        return number, changes, complete, looked_at + min(_TIMES * cost, _LONGEST_PAUSE)
    return None


def _look(store: Store, root: Path, real: str, ignore: Sequence[str], until: float) -> Tree:
    started = time.monotonic()
    with store.writing() as db:
        db.execute("INSERT OR IGNORE INTO tree(root, looked_at, cost, changes) VALUES(?, 0, 0, 0)", (real,))
    number, changes, complete, _ = _tree(store, real) or (0, 0, 0, 0.0)
    known: Known = {
        path: (own, blob, changed_at, size, inode)
        for path, own, blob, changed_at, size, inode in store.rows(
            "SELECT path.path, path.id, file.blob, file.changed, file.size, file.inode "
            "FROM file JOIN path ON path.id = file.path WHERE file.tree=?",
            (number,),
        )
    }
    paths = asyncio.run(list_files(root, ignore, known))
    there, changed = _compare(real, paths, known)
    gone = [known[path][0] for path in known.keys() - there.keys()]
    looking = time.monotonic() - started if len(paths) > _SMALL else 0.0
    left = changed
    if gone or changed:
        progress = _Progress()
        while left and time.monotonic() < until:
            left = _step(store, root, number, left, there, progress)
            progress.tell(root, len(left))
        with store.writing() as db:
            db.executemany("DELETE FROM file WHERE tree=? AND path=?", [(number, one) for one in gone])
        tidy(store)
        changes += 1
    if gone or changed or looking or not complete:
        with store.writing() as db:
            db.execute(
                "UPDATE tree SET looked_at=?, cost=?, changes=?, complete=? WHERE id=?",
                (time.time(), looking, changes, not left, number),
            )
    return Tree(number, changes, not left)


def _compare(real: str, paths: Sequence[str], known: Known) -> tuple[dict[str, os.stat_result], list[str]]:
    """The regular files that are there, and those of them that may have changed."""
    there: dict[str, os.stat_result] = {}
    changed = []
    for path in paths:
        try:
            about = os.lstat(f"{real}/{path}")
        except OSError:
            continue
        if not stat.S_ISREG(about.st_mode):
            continue
        there[path] = about
        row = known.get(path)
        if row is None or (about.st_mtime_ns, about.st_size, about.st_ino) != (row[2], row[3], row[4]):
            changed.append(path)
    return there, changed


def _step(
    store: Store, root: Path, tree: int, paths: list[str], there: dict[str, os.stat_result], progress: _Progress
) -> list[str]:
    """Index some of the files in one transaction; those that are left."""
    redactor = Redactor()
    until = time.monotonic() + _STEP_SECONDS
    segment = SegmentWriter()
    blobs: dict[str, int] = {}
    kept: list[tuple[int, str, str]] = []
    rows: list[tuple[str, int]] = []
    defined: list[tuple[str, int, int, int]] = []
    next_blob = _next(store, "blob")
    new_paths: dict[str, int] = {}
    next_path = _next(store, "path")
    at = 0
    with NativeNote(store) as native:
        for at, path in enumerate(paths, start=1):
            progress.done += 1
            if not store.rows("SELECT 1 FROM path WHERE path=?", (path,)):
                new_paths[path] = next_path
                segment.add(-next_path, 0, _path_keys(path))
                next_path += 1
            name, content = _content(root, path)
            blob = blobs.get(name) or _blob(store, name)
            if blob is None:
                blob = blobs[name] = next_blob
                next_blob += 1
                kept_content = _indexed(path, name, content, redactor, native)
                parts = [(part.start, part.end, part.names) for part in kept_content.passages]
                kept.append((blob, name, json.dumps(parts, separators=(",", ":")) if kept_content.parsed else "[]"))
                for ordinal, counts in enumerate(kept_content.keys):
                    segment.add(blob, ordinal, counts)
                defined += [(_plain(one.name), blob, one.first, one.last) for one in kept_content.definitions]
            rows.append((path, blob))
            if segment.is_full or at >= _STEP_FILES or time.monotonic() > until:
                break
    with store.writing() as db:
        number = store.write_segment(db, segment) if segment.documents.blobs else 0
        db.executemany("INSERT INTO path VALUES(?, ?)", [(one, path) for path, one in new_paths.items()])
        db.executemany(
            "INSERT INTO blob VALUES(?, ?, ?, ?)", [(blob, name, number, parts) for blob, name, parts in kept]
        )
        db.executemany("INSERT INTO definition VALUES(?, ?, ?, ?)", defined)
        db.executemany(
            "INSERT OR REPLACE INTO file SELECT ?, id, ?, ?, ?, ? FROM path WHERE path=?",
            [
                (tree, blob, there[path].st_mtime_ns, there[path].st_size, there[path].st_ino, path)
                for path, blob in rows
            ],
        )
    return paths[at:]


def _indexed(path: str, name: str, content: bytes, redactor: Redactor, native: NativeNote) -> Content:
    """What is kept of a content; one whose grammar has brought a process down before is cut by its lines."""
    with native.parsing(name) as may_parse:
        return read_content(path, content, redactor.redact, parse=may_parse)


def _content(root: Path, path: str) -> tuple[str, bytes]:
    """The name of a file's content and the content; of what may not or cannot be read, an empty one."""
    try:
        content = files.read_content(root, path)
    except ToolError:
        content = b""
    return name_of(path, content), content


def _blob(store: Store, name: str) -> int | None:
    found = store.rows("SELECT id FROM blob WHERE name=?", (name,))
    return int(found[0][0]) if found else None


def _next(store: Store, table: str) -> int:
    return int(str(store.rows(f"SELECT coalesce(max(id), 0) + 1 FROM {table}")[0][0]))  # noqa: S608  # a table's name


def _path_keys(path: str) -> Counter[str]:
    """The keys of a path, each with a slash before it."""
    counts = count_keys(path.rpartition(".")[0] or path)
    counts[literal_key(path.rpartition("/")[2])] += 1
    for key in list(counts):
        counts[f"/{key}"] = counts.pop(key)
    return counts


def _plain(name: str) -> str:
    """A definition's name as it is looked up: its last part, in lower case."""
    return name.replace("::", ".").rpartition(".")[2].lower()
