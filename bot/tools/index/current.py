"""Current index of a project, refreshed for a question if the tree may have changed.

A large tree is not scanned for each question. Only its folders are checked: git, copies and most editors create files
anew, which changes the folder's timestamp. A file written in place is found at the next scan.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.tools.index.lookup import Snapshot, snapshot
from bot.tools.index.places import place_of
from bot.tools.index.refresh import STEP_SECONDS, Tree, known_tree, refresh
from bot.tools.index.store import IndexStore
from bot.tools.roots import resolve_root

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bot.models.project import Project

_COARSE = 0.02
"""Seconds by which the system's timestamp of a change may be too early."""
_TIMES = 20
"""Factor: unchanged folders are not checked again for so many times the processor time of the check."""
_LONGEST_PAUSE = 1.5
_unchanged_until: dict[tuple[Path, int, str], float] = {}
"""Times until which folders count as unchanged, by index, tree and searched folder."""


@dataclass(frozen=True, slots=True)
class Current:
    """Open index of a project."""

    store: IndexStore
    tree: Tree
    below: str

    @property
    def snapshot(self) -> Snapshot:
        """Return the searched files."""
        return snapshot(self.store, self.tree, self.below)


@contextmanager
def current(
    folder: Path, project: Project, below: str = ".", patience: float = 0.0, wait: float = 0.0
) -> Iterator[Current]:
    """Open the index of a project; spend up to `patience` seconds on a refresh of the tree.

    An incomplete index is extended for up to `wait` seconds. Raises `BrokenIndex`, `ToolError` and SQLite's errors.
    """
    store = IndexStore(place_of(folder, project))
    try:
        tree = _tree(store, project, below, patience)
        if wait > 0 and not tree.is_complete:
            tree = refresh(store, project.root, project.ignore, wait)
        yield Current(store, tree, below)
    finally:
        store.close()


def _tree(store: IndexStore, project: Project, below: str, patience: float) -> Tree:
    if patience > 0:
        return refresh(store, project.root, project.ignore, patience)
    tree = known_tree(store, project.root)
    if not tree.is_complete or (tree.is_large and not _has_changed(store, project.root, tree, below)):
        return tree
    return refresh(store, project.root, project.ignore, STEP_SECONDS, force=True)


def _has_changed(store: IndexStore, root: Path, tree: Tree, below: str) -> bool:
    """Return whether a folder of a tree changed since the last scan; cached for a multiple of the check's duration."""
    place, began = (store.path, tree.number, below), time.thread_time()
    if time.monotonic() < _unchanged_until.get(place, 0.0):
        return False
    real, since = resolve_root(root), tree.looked_at - _COARSE
    try:
        changed = any(os.lstat(f"{real}/{folder}").st_ctime >= since for folder in snapshot(store, tree, below).folders)
    except OSError:  # the folder was deleted
        return True
    if not changed:
        _unchanged_until[place] = time.monotonic() + min(_TIMES * (time.thread_time() - began), _LONGEST_PAUSE)
    return changed
