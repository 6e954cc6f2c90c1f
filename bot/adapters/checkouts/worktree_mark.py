"""Mark of a worktree: its `.git`, one line that other programs believe. What else is in its place is set aside."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.runtime.real_folder import open_folder
from bot.runtime.workspace_lock import OWN_PARTS

if TYPE_CHECKING:
    from pathlib import Path

_MARK = ".git"
_LONGEST = 10_000
"""Bytes of a mark that is read."""


def restore_mark(folder: Path, git_folder: Path, aside: Path) -> None:
    """Write a worktree's `.git` again if it is not the one that git wrote. Blocking.

    Another `.git` than that of a worktree of this name is moved to a new folder in `aside`: it may be somebody's
    history. Raises `ToolError` if that is impossible, or if a link is in the place of the worktree.
    """
    content = f"gitdir: {git_folder}\n"
    with open_folder(folder, own=OWN_PARTS) as tree:
        mark = _read(tree)
        if mark == content:
            return
        if mark is not None:
            is_earlier = mark.startswith("gitdir: ") and mark.endswith(f"/worktrees/{folder.name}\n")
            if is_earlier:  # of a home that was moved
                os.unlink(_MARK, dir_fd=tree)
            else:
                _set_aside(tree, folder, aside)
        handle = os.open(_MARK, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=tree)
        with os.fdopen(handle, "w") as file:
            file.write(content)


def list_aside(folder: Path, aside: Path) -> tuple[str, ...]:
    """Return the paths at which what was in the place of a worktree's mark is kept. Blocking."""
    return tuple(sorted(map(str, aside.glob(f"{folder.name}.git..*")))) if aside.is_dir() else ()


def _read(tree: int) -> str | None:
    """Return the text of the mark: empty for what is no small file, `None` if there is none."""
    try:
        status = os.stat(_MARK, dir_fd=tree, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LONGEST:
        return ""
    with os.fdopen(os.open(_MARK, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=tree), errors="replace") as file:
        return file.read(_LONGEST)


def _set_aside(tree: int, folder: Path, aside: Path) -> None:
    aside.mkdir(mode=0o700, exist_ok=True)
    number = 1
    while os.path.lexists(aside / f"{folder.name}.git..{number}"):  # two dots: no slug has them
        number += 1
    try:
        os.rename(_MARK, aside / f"{folder.name}.git..{number}", src_dir_fd=tree)
    except OSError as problem:
        reason = problem.strerror
        raise ToolError(
            f"{folder / _MARK} is not Triage's, and cannot be set aside ({reason}): move it away, and give the "
            "command again"
        ) from problem
