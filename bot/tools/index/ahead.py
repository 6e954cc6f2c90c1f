"""Indexing before the first question: a tree is indexed in short calls to one process.

The process keeps its progress and the index lock between calls until the tree is complete.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.tools.index.exclusive import lock
from bot.tools.index.places import place_of
from bot.tools.index.project import is_busy
from bot.tools.index.refresh import TreeScan
from bot.tools.index.store import BrokenIndex, IndexStore, remove

if TYPE_CHECKING:
    from pathlib import Path

    from bot.models.project import Project

_STRETCH = 2.0
"""Seconds of one call."""


@dataclass(frozen=True, slots=True)
class IndexRequest:
    """Request to index a project's tree."""

    folder: Path
    """Folder of indexes."""
    project: Project


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """Progress of the indexing of a tree."""

    left: int = 0
    """Number of files still to read."""
    files: int = 0
    """Number of all files of the tree."""


_under_way: dict[Path, tuple[TreeScan, ExitStack]] = {}
"""Unfinished scans of this process, by the tree's folder."""


def index_ahead(ahead: IndexRequest) -> IndexProgress:
    """Index a tree for two seconds; report nothing left if another process does it. Raises `ToolError`."""
    root, place = ahead.project.root, place_of(ahead.folder, ahead.project)
    try:
        return _go_on(ahead, place)
    except (BrokenIndex, OSError) as problem:
        _let_go(root)
        raise ToolError(f"the index cannot be used: {problem}") from problem
    except sqlite3.DatabaseError as problem:
        _let_go(root)
        if not is_busy(problem):
            remove(place)
        raise ToolError(f"the index cannot be written: {problem}") from problem
    except BaseException:
        _let_go(root)
        raise


def _go_on(ahead: IndexRequest, place: Path) -> IndexProgress:
    until, root = time.monotonic() + _STRETCH, ahead.project.root
    if root not in _under_way:
        with ExitStack() as stack:
            store = IndexStore(place)
            stack.callback(store.close)
            if not stack.enter_context(lock(place, wait=0.0)):
                return IndexProgress()
            _under_way[root] = TreeScan(store, root, ahead.project.ignore), stack.pop_all()
    look = _under_way[root][0]
    look.go_on(until)
    if not look.left:
        look.end()
        _let_go(root)
    return IndexProgress(len(look.left), look.files)


def _let_go(root: Path) -> None:
    if root in _under_way:
        _under_way.pop(root)[1].close()
