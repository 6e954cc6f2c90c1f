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
"""How long one that can wait does so for a tree to be indexed; what is missing is indexed at the next one."""
_STEP_SECONDS = 2.0
_STEP_FILES = 600
_SMALL = 3_000
"""Files of a tree that is looked at for each question."""
_TIMES = 12
"""A look at a larger one is taken again after so many times as long."""
_LONGEST_PAUSE = 30.0

Stat = tuple[int, int, int]
"""Of a file: time of change, size, inode."""
Known = dict[str, tuple[int, int, int, int]]
"""By path: its number, then as `Stat`."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree as the index has it."""

    number: int
    changes: int
    """How often it was found changed."""
    complete: bool
    """Whether each of its files was read."""
    old: bool = False
    """Whether it is time to look at it again."""
    large: bool = False
    """Whether a look at it takes longer than a question may wait."""


_NONE = Tree(0, 0, complete=False, old=True)


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
    if tree is not None and tree.complete and not tree.old:
        return tree
    with lock(store.path, wait=0.0 if tree and tree.complete else seconds) as held:
        if not held:
            return _tree(store, real) or _NONE
        look = Look(store, root, ignore)
        look.go_on(time.monotonic() + seconds)
        return look.end()


def as_it_is(store: Store, root: Path, ignore: Sequence[str] = (), patience: float = 0.0) -> Tree:
    """The tree for a question: a small one that is whole is looked at first, another is brought up to date with
    `patience` alone.
    """
    if patience > 0:
        return refresh(store, root, ignore, patience)
    tree = _tree(store, str(settled(root))) or _NONE
    return refresh(store, root, ignore, _STEP_SECONDS) if tree.complete and not tree.large else tree


def _tree(store: Store, real: str) -> Tree | None:
    for number, changes, complete, looked_at, cost in store.rows(
        "SELECT id, changes, complete, looked_at, cost FROM tree WHERE root=?", (real,)
    ):
        old = time.time() >= looked_at + min(_TIMES * cost, _LONGEST_PAUSE)
        return Tree(number, changes, bool(complete), old=old, large=cost > 0)
    return None


class Look:
    """One look at a tree: what has changed since the one before, indexed in steps. Its maker holds the lock."""

    def __init__(self, store: Store, root: Path, ignore: Sequence[str] = ()) -> None:
        """List the tree and compare it. Raises `ToolError` as `list_files` does."""
        started = time.monotonic()
        real = str(settled(root))
        with store.writing() as db:
            db.execute("INSERT OR IGNORE INTO tree(root, looked_at, cost, changes) VALUES(?, 0, 0, 0)", (real,))
        self._store, self._root, self._tree = store, root, _tree(store, real) or _NONE
        known = _known(store, self._tree.number)
        paths = asyncio.run(list_files(root, ignore, known))
        self._there, self.left = _compare(real, paths, known)
        self._gone = [known[path][0] for path in known.keys() - self._there.keys()]
        self._changed = bool(self._gone or self.left)
        self._cost = time.monotonic() - started if len(paths) > _SMALL else 0.0
        self._there = {path: self._there[path] for path in self.left}
        self._progress = _Progress()
        self.files = len(paths)

    def go_on(self, until: float) -> None:
        """Index what is left, step by step, up to a time of the monotonic clock."""
        while self.left and time.monotonic() < until:
            self.left = _step(self._store, self._root, self._tree.number, self.left, self._there, self._progress)
            self._progress.tell(self._root, len(self.left))

    def end(self) -> Tree:
        """Forget what is gone, and note that the tree was looked at."""
        tree, changes = self._tree, self._tree.changes + self._changed
        if self._changed:
            with self._store.writing() as db:
                rows = [(tree.number, one) for one in self._gone]
                db.executemany("DELETE FROM file WHERE tree=? AND path=?", rows)
            tidy(self._store)
        if self._changed or self._cost or not tree.complete:
            with self._store.writing() as db:
                db.execute(
                    "UPDATE tree SET looked_at=?, cost=?, changes=?, complete=? WHERE id=?",
                    (time.time(), self._cost, changes, not self.left, tree.number),
                )
        return Tree(tree.number, changes, not self.left, large=self._cost > 0)


def _known(store: Store, tree: int) -> Known:
    return {
        path: (own, changed_at, size, inode)
        for path, own, changed_at, size, inode in store.rows(
            "SELECT path.path, path.id, file.changed, file.size, file.inode "
            "FROM file JOIN path ON path.id = file.path WHERE file.tree=?",
            (tree,),
        )
    }


def _compare(real: str, paths: Sequence[str], known: Known) -> tuple[dict[str, Stat], list[str]]:
    """The regular files that are there, and those of them that may have changed."""
    there: dict[str, Stat] = {}
    changed = []
    for path in paths:
        try:
            about = os.lstat(f"{real}/{path}")
        except OSError:
            continue
        if not stat.S_ISREG(about.st_mode):
            continue
        there[path] = about.st_mtime_ns, about.st_size, about.st_ino
        row = known.get(path)
        if row is None or there[path] != row[1:]:
            changed.append(path)
    return there, changed


def _step(
    store: Store, root: Path, tree: int, paths: list[str], there: dict[str, Stat], progress: _Progress
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
            [(tree, blob, *there[path], path) for path, blob in rows],
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
