"""Location of a project's git folder: the `.git` at or above its root, and no look-alike.

git itself would take any folder with `HEAD`, `objects` and `refs` for a repository, and follow any `.git` file,
`commondir` or `alternates`; a foreign repository could so show a forged history, or another project's. So the folder is
found here and passed to git. A folder elsewhere is trusted when it names the project in turn, or was recorded when the
settings were read (`bot/isolation/repository`). Fetches of repositories are checked here too.
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
from bot.isolation.repository import find_alternates, folders_of, recall_folders
from bot.tools.roots import resolve_root

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from bot.models.project import Repository

_WORKTREE = re.compile(r"^[ \t]*worktree[ \t]*=[ \t]*(?P<path>\S.*)", re.MULTILINE)
_LONGEST = 16_384
"""Maximum bytes of a file that names folders."""
_STORED = ("objects", "refs")


@dataclass(frozen=True, slots=True)
class GitFolder:
    """Git folders of a project: `top` holds `.git`, `folder` is git's own folder, `reads` are all paths that git
    reads."""

    top: Path
    folder: Path
    reads: tuple[Path, ...] = ()


def git_folder(root: Path) -> GitFolder | None:
    """Find the repository around a root; `None` if there is none. Blocking, for some microseconds.

    Raises `ToolError` if its history is elsewhere.
    """
    real = resolve_root(root)
    top = next((each for each in (real, *real.parents) if os.path.lexists(each / ".git")), None)
    return _find_worktree(top) if top else None


def source_folder(repository: Repository) -> GitFolder:
    """Find the git folder to fetch from in a local repository, bare or not. Blocking.

    Raises `ToolError` if there is none, if its history is elsewhere, or if that is out of reach.
    """
    url = repository.url
    top = resolve_root(Path(unquote(url.removeprefix("file://")) if "://" in url else url))
    folder = _find_worktree(top) if os.path.lexists(top / ".git") else _find_bare(top)
    if repository.below is not None:
        if any(not any(each.is_relative_to(root) for root in repository.below) for each in folder.reads):
            raise ToolError("its git folder lies outside of the folders that projects_below in triage.yml names")
        for link in (link for each in folder.reads for name in _STORED for link in _links(each / name)):
            raise _build_error(link)
    return folder


def _find_worktree(top: Path) -> GitFolder:
    """Return the repository of a folder with `.git`."""
    mark = top / ".git"
    kind, believed = os.lstat(mark).st_mode, recall_folders(top)
    if stat.S_ISDIR(kind):
        folder = common = mark
    elif stat.S_ISLNK(kind) and mark in believed and mark.resolve() in believed:
        folder = common = mark.resolve()
    elif stat.S_ISREG(kind):
        folder = _resolve_line(top, _read(mark).removeprefix("gitdir:"))
        common = _find_common_folder(folder, mark, believed)
    else:
        raise _build_error(mark)
    if folder == common and os.path.lexists(folder / "commondir"):
        raise _build_error(folder / "commondir")
    _has_its_objects(common, believed)
    return GitFolder(top, folder, folders_of(top))


def _find_bare(top: Path) -> GitFolder:
    """Return the repository of a bare folder."""
    if not (top / "HEAD").is_file() or not all((top / name).is_dir() for name in ("objects", "refs")):
        raise ToolError("there is no git repository in that folder")
    if os.path.lexists(top / "commondir"):
        raise _build_error(top / "commondir")
    _has_its_objects(top, recall_folders(top))
    return GitFolder(top, top, folders_of(top))


def _find_common_folder(folder: Path, mark: Path, believed: Collection[Path]) -> Path:
    """Return the common folder of the one that a `.git` file names, which must name the file in turn."""
    home = folder.parent
    if home.name == "worktrees" and _resolve_line(folder, _read(folder / "gitdir")) == mark.resolve():
        common = _resolve_line(folder, _read(folder / "commondir"))
        if common == home.parent.resolve():
            return common
    match = _WORKTREE.search(_read(folder / "config"))
    if match and _resolve_line(folder, match["path"].strip('"')) == mark.parent.resolve():
        return folder  # a submodule
    if folder in believed and not os.path.lexists(folder / "commondir"):
        return folder  # a separate git folder (`--separate-git-dir`)
    raise _build_error(mark)


def _has_its_objects(common: Path, believed: Collection[Path]) -> None:
    """Raise `ToolError` if objects or refs are outside of the folder."""
    for name in ("objects", "refs", "packed-refs", "HEAD", "config", "objects/info", "objects/pack"):
        if (common / name).is_symlink():
            raise _build_error(common / name)
    if any(other not in believed for other in find_alternates(common / "objects")):
        raise _build_error(common / "objects/info/alternates")


def _links(folder: Path) -> Iterator[Path]:
    """Yield the links below a folder, which git would follow without a boundary."""
    for inner, folders, files in os.walk(folder):
        yield from (path for name in (*folders, *files) if (path := Path(inner, name)).is_symlink())


def _resolve_line(start: Path, text: str) -> Path:
    """Resolve the path in a line; a relative one begins at `start`."""
    try:
        return (start / text.strip()).resolve()
    except (OSError, RuntimeError, ValueError):  # a name too long, a loop of links, a NUL
        raise _build_error(start) from None


def _read(path: Path) -> str:
    """Read a small regular file without blocking; return an empty text for anything else."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    with os.fdopen(handle, "rb") as file:
        plain = stat.S_ISREG(os.fstat(handle).st_mode)
        return file.read(_LONGEST).decode("utf-8", errors="replace") if plain else ""


def _build_error(path: Path) -> ToolError:
    return ToolError(f"the project's git folder is not its own: {path.name} leads elsewhere")
