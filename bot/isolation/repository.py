"""Folders that git reads for a repository, and those recorded when the settings were read.

A project's `.git` may be a file that names another folder, which may share a third, and objects may be in a fourth
(`alternates`). Folders that do not name the project in turn are trusted only as recorded at that time.
"""

from __future__ import annotations

import os
from pathlib import Path

_DEEPEST = 5
_MAX_FOLDERS = 20
_LONGEST = 10_000
"""Maximum bytes of a file that names folders."""

_folders_by_root: dict[Path, tuple[Path, ...]] = {}


def remember(root: Path) -> None:
    """Record the git folders of the repository around a folder of the settings; only the first call counts.
    Blocking."""
    real = root.resolve()
    top = next((folder for folder in (real, *real.parents) if (folder / ".git").exists()), real)
    if top not in _folders_by_root:
        _folders_by_root[top] = folders_of(top)


def remember_source(folder: Path) -> None:
    """Record the git folders of a repository that is fetched from; only the first call counts."""
    real = folder.resolve()
    _folders_by_root.setdefault(real, folders_of(real))


def recall_folders(top: Path) -> tuple[Path, ...]:
    """Return the git folders recorded for a repository when the settings were read."""
    return _folders_by_root.get(top, ())


def folders_of(top: Path) -> tuple[Path, ...]:
    """List the git files and folders of a repository, bare or not: as named by git and as resolved."""
    marker = top / ".git"
    own = top if not marker.exists() else marker if marker.is_dir() else _read_folder_file(marker, top, "gitdir:")
    if own is None or not os.path.lexists(own / "HEAD"):
        return ()
    common = _read_folder_file(own / "commondir", own) or own
    if not all((common / name).is_dir() for name in ("objects", "refs")):
        return ()
    folders = [marker, own, common] if marker.exists() else [own, common]
    folders += find_alternates(common / "objects")
    return tuple(dict.fromkeys(each for path in folders for each in (path, path.resolve())))


def find_alternates(objects: Path) -> list[Path]:
    """List the object folders that this one borrows from, transitively."""
    folders: list[Path] = []
    waiting = [(objects, 0)]
    while waiting and len(folders) < _MAX_FOLDERS:
        folder, depth = waiting.pop()
        for line in _lines(folder / "info" / "alternates") if depth < _DEEPEST else ():
            other = Path(os.path.normpath(folder / line))
            if other not in folders:
                folders.append(other)
                waiting.append((other, depth + 1))
    return folders


def _read_folder_file(file: Path, beside: Path, key: str = "") -> Path | None:
    """Return the folder that a file names, if it exists."""
    line = next((line for line in _lines(file) if line.startswith(key)), "").removeprefix(key).strip()
    folder = Path(os.path.normpath(beside / line)) if line else None
    return folder if folder and folder.is_dir() else None


def _lines(file: Path) -> list[str]:
    try:
        with file.open("rb") as stream:
            text = stream.read(_LONGEST).decode("utf-8", errors="surrogateescape")
    except OSError:
        return []
    return [
        line.rstrip("\r") for line in text.split("\n") if line.strip() and not line.startswith("#") and "\0" not in line
    ]
