"""Paths of index databases, one for each project in one folder, and removal of old ones."""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bot.tools.index.store import remove

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.project import Project


@cache
def indexes_of_process() -> Path:
    """Return a folder for indexes that is deleted with this process."""
    folder = Path(tempfile.mkdtemp(prefix="triage-index-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def place_of(folder: Path, project: Project) -> Path:
    """Return the database path of a project in the folder of indexes."""
    own = hashlib.sha256(project.name.encode()).hexdigest()
    return folder / f"{_hash_prefix(project.belongs_to)}-{own[:8]}.sqlite"


def forget(folder: Path, belongs_to: str) -> None:
    """Remove the databases of a project with all its roots."""
    for path in folder.glob(f"{_hash_prefix(belongs_to)}-*.sqlite"):
        remove(path)


def keep_only(folder: Path, names: Iterable[str]) -> None:
    """Remove the databases of all other projects."""
    fronts = {_hash_prefix(name) for name in names}
    for path in folder.glob("*-*.sqlite"):
        if path.name.partition("-")[0] not in fronts:
            remove(path)


def _hash_prefix(belongs_to: str) -> str:
    return hashlib.sha256(belongs_to.encode()).hexdigest()[:16]
