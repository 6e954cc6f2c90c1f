"""Which folder git reads for a project: the `.git` at or above its root, and nothing that only looks like one.

git itself would take any folder with `HEAD`, `objects` and `refs` in it for a repository, and go wherever a `.git`
file, `commondir` or `alternates` says; a repository of others could so show a history that it has made up, or somebody
else's. So the folder is found here, and git is told. A folder elsewhere is believed when it names the project in turn,
or was there as the settings were read (`bot/isolation/repository`).
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from bot.errors import ToolError
from bot.isolation.repository import borrowed, folders_of, remembered
from bot.tools.roots import settled

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from bot.models.project import Repository

_WORKTREE = re.compile(r"^[ \t]*worktree[ \t]*=[ \t]*(?P<path>\S.*)", re.MULTILINE)
_LONGEST = 16_384
"""Bytes of a file that names folders."""
_STORED = ("objects", "refs")


@dataclass(frozen=True, slots=True)
class GitFolder:
    """`top` is the folder that holds `.git`, `folder` what git keeps of it, `reads` all that git reads of the two."""

    top: Path
    folder: Path
    reads: tuple[Path, ...] = ()


def git_folder(root: Path) -> GitFolder | None:
    """The repository that a root lies in; `None` where there is none. Blocking, for some microseconds.

    Raises `ToolError` where its history lies elsewhere.
    """
    real = settled(root)
    top = next((each for each in (real, *real.parents) if os.path.lexists(each / ".git")), None)
    return _marked(top) if top else None


def source_folder(repository: Repository) -> GitFolder:
    """What git may fetch of a repository of this machine: the folder that is named, with files or bare. Blocking.

    Raises `ToolError` where there is none, where its history lies elsewhere, and where that lies out of reach.
    """
    url = repository.url
    top = settled(Path(unquote(url.removeprefix("file://")) if "://" in url else url))
    found = _marked(top) if os.path.lexists(top / ".git") else _bare(top)
    if repository.below is not None:
        if any(not any(each.is_relative_to(one) for one in repository.below) for each in found.reads):
            raise ToolError("its git folder lies outside of the folders that projects_below in triage.yml names")
        for link in (link for each in found.reads for name in _STORED for link in _links(each / name)):
            raise _elsewhere(link)
    return found


def _marked(top: Path) -> GitFolder:
    """The repository of a folder with a `.git` in it."""
    mark = top / ".git"
    kind, believed = os.lstat(mark).st_mode, remembered(top)
    if stat.S_ISDIR(kind):
        folder = common = mark
    elif stat.S_ISLNK(kind) and mark in believed and mark.resolve() in believed:
        folder = common = mark.resolve()
    elif stat.S_ISREG(kind):
        folder = _told(top, _read(mark).removeprefix("gitdir:"))
        common = _belongs(folder, mark, believed)
    else:
        raise _elsewhere(mark)
    if folder == common and os.path.lexists(folder / "commondir"):
        raise _elsewhere(folder / "commondir")
    _has_its_objects(common, believed)
    return GitFolder(top, folder, folders_of(top))


def _bare(top: Path) -> GitFolder:
    """The repository that a folder is itself."""
    if not (top / "HEAD").is_file() or not all((top / name).is_dir() for name in ("objects", "refs")):
        raise ToolError("there is no git repository in that folder")
    if os.path.lexists(top / "commondir"):
        raise _elsewhere(top / "commondir")
    _has_its_objects(top, remembered(top))
    return GitFolder(top, top, folders_of(top))


def _belongs(folder: Path, mark: Path, believed: Collection[Path]) -> Path:
    """The folder that a `.git` file names shares objects with this one; it must name the file in turn."""
    home = folder.parent
    if home.name == "worktrees" and _told(folder, _read(folder / "gitdir")) == mark.resolve():
        common = _told(folder, _read(folder / "commondir"))
        if common == home.parent.resolve():
            return common
    found = _WORKTREE.search(_read(folder / "config"))
    if found and _told(folder, found["path"].strip('"')) == mark.parent.resolve():
        return folder  # a submodule
    if folder in believed and not os.path.lexists(folder / "commondir"):
        return folder  # a git folder of its own (`--separate-git-dir`)
    raise _elsewhere(mark)


def _has_its_objects(common: Path, believed: Collection[Path]) -> None:
    """Raises `ToolError` where objects or refs are not those of the folder itself."""
    for name in ("objects", "refs", "packed-refs", "HEAD", "config", "objects/info", "objects/pack"):
        if (common / name).is_symlink():
            raise _elsewhere(common / name)
    if any(other not in believed for other in borrowed(common / "objects")):
        raise _elsewhere(common / "objects/info/alternates")


def _links(folder: Path) -> Iterator[Path]:
    """The links below a folder, which git would follow where no boundary keeps it."""
    for inner, folders, files in os.walk(folder):
        yield from (path for name in (*folders, *files) if (path := Path(inner, name)).is_symlink())


def _told(start: Path, text: str) -> Path:
    """The folder or file that a line names; a relative one begins at `start`."""
    try:
        return (start / text.strip()).resolve()
    except (OSError, RuntimeError, ValueError):  # a name too long, a loop of links, a NUL
        raise _elsewhere(start) from None


def _read(path: Path) -> str:
    """What a small plain file holds; empty for anything else, which is not waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    with os.fdopen(handle, "rb") as file:
        plain = stat.S_ISREG(os.fstat(handle).st_mode)
        return file.read(_LONGEST).decode("utf-8", errors="replace") if plain else ""


def _elsewhere(path: Path) -> ToolError:
    return ToolError(f"the project's git folder is not its own: {path.name} leads elsewhere")
