"""Refresh of an index: changes of a tree are detected as git does, and indexed in steps.

A file with unchanged time, size and inode is not read; a content with a known name is not indexed again. Each step is
one transaction, so a process may be killed at any time. One process indexes at a time, under a file lock that the
system releases; others use the current state.
"""

from __future__ import annotations

import asyncio
import logging
import os
import stat
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.tools.index.exclusive import lock
from bot.tools.index.step import IndexStep
from bot.tools.index.tidy import compact_index
from bot.tools.roots import resolve_root
from bot.tools.search import list_files

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bot.tools.index.store import IndexStore

_log = logging.getLogger(__name__)

MOST_SECONDS = 45.0
"""Maximum seconds that a caller waits for indexing; later calls continue it."""
STEP_SECONDS = 2.0
_SMALL = 3_000
"""Maximum number of files of a small tree, which is scanned for each question."""
_TIMES = 12
"""Factor: a large tree is scanned again after so many times the duration of its last scan."""
_LONGEST_PAUSE = 30.0

Stat = tuple[int, int, int]
"""File status: time of change, size, inode."""
KnownFiles = dict[str, tuple[int, int, int, int]]
"""Known files by path: number, then the fields of `Stat`."""


@dataclass(frozen=True, slots=True)
class Tree:
    """State of a tree in the index."""

    number: int
    changes: int
    """Number of scans that found changes."""
    is_complete: bool
    """True if each of its files was read."""
    is_outdated: bool = False
    """True if it should be scanned again."""
    is_large: bool = False
    """True if a scan takes longer than a question may wait."""
    looked_at: float = 0.0
    """Start of the last complete scan, in seconds of the epoch."""


_NONE = Tree(0, 0, is_complete=False, is_outdated=True)


@dataclass
class _Progress:
    """Progress of one scan."""

    started: float = field(default_factory=time.monotonic)
    logged_at: float = 0.0
    done: int = 0

    def tell(self, root: Path, left: int) -> None:
        """Log the progress, every two seconds."""
        now = time.monotonic()
        if now - max(self.logged_at, self.started) >= STEP_SECONDS:
            self.logged_at = now
            _log.info("Indexing %s: %d files read, %d left", root, self.done, left)


def refresh(
    store: IndexStore, root: Path, ignore: Sequence[str] = (), seconds: float = MOST_SECONDS, *, force: bool = False
) -> Tree:
    """Refresh the index of a tree, for at most so many seconds; `force` forces it even after a recent scan.

    Raises `ToolError` as `list_files` does.
    """
    tree = known_tree(store, root)
    if tree.is_complete and not (tree.is_outdated or force):
        return tree
    with lock(store.path, wait=0.0 if tree.is_complete else seconds) as has_lock:
        if not has_lock:
            return known_tree(store, root)
        look = TreeScan(store, root, ignore)
        look.go_on(time.monotonic() + seconds)
        return look.end()


def known_tree(store: IndexStore, root: Path) -> Tree:
    """Return the tree as of the last scan; an empty one before the first. Raises `ToolError` if it was moved."""
    for number, changes, complete, looked_at, cost in store.rows(
        "SELECT id, changes, complete, looked_at, cost FROM tree WHERE root=?", (str(resolve_root(root)),)
    ):
        old = time.time() >= looked_at + min(_TIMES * cost, _LONGEST_PAUSE)
        return Tree(number, changes, bool(complete), is_outdated=old, is_large=cost > 0, looked_at=looked_at)
    return _NONE


class TreeScan:
    """Scan of a tree: its changes since the last scan, indexed in steps. The caller holds the lock."""

    def __init__(self, store: IndexStore, root: Path, ignore: Sequence[str] = ()) -> None:
        """List the tree and compare it. Raises `ToolError` as `list_files` does."""
        started, self._began = time.monotonic(), time.time()
        real = str(resolve_root(root))
        with store.writing() as db:
            db.execute("INSERT OR IGNORE INTO tree(root, looked_at, cost, changes) VALUES(?, 0, 0, 0)", (real,))
        self._store, self._root, self._tree = store, root, known_tree(store, root)
        known_files = _read_known_files(store, self._tree.number)
        paths = asyncio.run(list_files(root, ignore, known_files))
        self._present, self.left = _compare(real, paths, known_files)
        self._removed = [known_files[path][0] for path in known_files.keys() - self._present.keys()]
        self._changed = bool(self._removed or self.left)
        self._cost = time.monotonic() - started if len(paths) > _SMALL else 0.0
        self._present = {path: self._present[path] for path in self.left}
        self._progress = _Progress()
        self.files = len(paths)

    def go_on(self, until: float) -> None:
        """Index remaining files, step by step, up to a time of the monotonic clock."""
        while self.left and time.monotonic() < until:
            step = IndexStep(self._store, self._root, self._tree.number)
            done = step.read(self.left, time.monotonic() + STEP_SECONDS)
            step.write(self._present)
            self.left = self.left[done:]
            self._progress.done += done
            self._progress.tell(self._root, len(self.left))

    def end(self) -> Tree:
        """Remove deleted files and record the scan. A large tree that was complete stays usable meanwhile."""
        tree, changes = self._tree, self._tree.changes + self._changed
        if self._changed:
            with self._store.writing() as db:
                rows = [(tree.number, number) for number in self._removed]
                db.executemany("DELETE FROM file WHERE tree=? AND path=?", rows)
            compact_index(self._store)
        complete = not self.left or (tree.is_complete and tree.is_large)
        looked_at = tree.looked_at if self.left else self._began
        if self._changed or self._cost or not tree.is_complete:
            with self._store.writing() as db:
                db.execute(
                    "UPDATE tree SET looked_at=?, cost=?, changes=?, complete=? WHERE id=?",
                    (looked_at, self._cost, changes, complete, tree.number),
                )
        return Tree(tree.number, changes, complete, bool(self.left), is_large=self._cost > 0, looked_at=looked_at)


def _read_known_files(store: IndexStore, tree: int) -> KnownFiles:
    return {
        path: (own, changed_at, size, inode)
        for path, own, changed_at, size, inode in store.rows(
            "SELECT path.path, path.id, file.changed, file.size, file.inode "
            "FROM file JOIN path ON path.id = file.path WHERE file.tree=?",
            (tree,),
        )
    }


def _compare(real: str, paths: Sequence[str], known_files: KnownFiles) -> tuple[dict[str, Stat], list[str]]:
    """Return the existing regular files, and those that may have changed."""
    present: dict[str, Stat] = {}
    changed = []
    for path in paths:
        try:
            about = os.lstat(f"{real}/{path}")
        except OSError:
            continue
        if not stat.S_ISREG(about.st_mode):
            continue
        present[path] = about.st_mtime_ns, about.st_size, about.st_ino
        row = known_files.get(path)
        if row is None or present[path] != row[1:]:
            changed.append(path)
    return present, changed
