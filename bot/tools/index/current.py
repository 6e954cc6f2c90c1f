"""Current index of a project: its tree as a question may use it, with the newest files where they are seen in time.

A large tree is not looked at for each question. Its folders are: git, a copy and most editors make a file anew, and the
system then notes a change of the folder. A file that was written in place is found at the next look.
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
from bot.tools.roots import settled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bot.models.project import Project

_COARSE = 0.02
"""Seconds by which the system's note of a change may be too early."""
_TIMES = 20
"""Folders that did not change are not asked again for so many times as long as that kept the processor busy."""
_LONGEST_PAUSE = 1.5
_unchanged_until: dict[tuple[Path, int, str], float] = {}
"""By the index, the tree and the folder that is searched."""


@dataclass(frozen=True, slots=True)
class Current:
    """An opened index."""

    store: IndexStore
    tree: Tree
    below: str

    @property
    def snapshot(self) -> Snapshot:
        """The files that are searched."""
        return snapshot(self.store, self.tree, self.below)


@contextmanager
def current(
    folder: Path, project: Project, below: str = ".", patience: float = 0.0, wait: float = 0.0
) -> Iterator[Current]:
    """The index of a project; with `patience` the tree is brought up to date for so long.

    One that is not whole is indexed for as long as the asker can `wait`. Raises `Broken`, `ToolError` and what SQLite
    does.
    """
    store = IndexStore(place_of(folder, project))
    try:
        tree = _tree(store, project, below, patience)
        if wait > 0 and not tree.complete:
            tree = refresh(store, project.root, project.ignore, wait)
        yield Current(store, tree, below)
    finally:
        store.close()


def _tree(store: IndexStore, project: Project, below: str, patience: float) -> Tree:
    if patience > 0:
        return refresh(store, project.root, project.ignore, patience)
    tree = known_tree(store, project.root)
    if not tree.complete or (tree.large and not _has_changed(store, project.root, tree, below)):
        return tree
    return refresh(store, project.root, project.ignore, STEP_SECONDS, anew=True)


def _has_changed(store: IndexStore, root: Path, tree: Tree, below: str) -> bool:
    """Return whether a folder with files of a tree changed since the last look; not asked again for some times as
    long."""
    place, began = (store.path, tree.number, below), time.thread_time()
    if time.monotonic() < _unchanged_until.get(place, 0.0):
        return False
    real, since = settled(root), tree.looked_at - _COARSE
    try:
        changed = any(os.lstat(f"{real}/{one}").st_ctime >= since for one in snapshot(store, tree, below).folders)
    except OSError:  # it is gone
        return True
    if not changed:
        _unchanged_until[place] = time.monotonic() + min(_TIMES * (time.thread_time() - began), _LONGEST_PAUSE)
    return changed
