"""Roots of projects: a root is read only at the location found when the settings or a command named it.

`tools/files`, `tools/search` and `tools/git_folder` check it at each read. The path was resolved when it was named; a
part that has become a link since was changed by others, such as a repository's next commit, and is not followed. The
bot's own home may contain links of the bot, and is never read from a root above it.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from bot.errors import ToolError

if TYPE_CHECKING:
    from pathlib import Path

_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SIGNS = re.compile(r"([\\*?\[\]{}])")

_home: tuple[Path, ...] = ()


def keep_home(home: Path) -> None:
    """Register the bot's own home for the whole process. Blocking."""
    global _home
    _home = tuple(dict.fromkeys((home.absolute(), home.resolve())))


def resolve_root(root: Path) -> Path:
    """Return the root, which contains no link. Raises `ToolError` if it leads elsewhere than when it was named.
    Blocking."""
    try:
        real = root.resolve()
    except (OSError, RuntimeError) as problem:
        raise ToolError(f"{root} cannot be opened.") from problem
    if real != root and not is_own(root):
        raise ToolError(
            f"{root} leads elsewhere than when it was named, by a link, and is never read there: put the folder back, "
            "or name another one."
        )
    return real


def describe_move(root: Path) -> str | None:
    """Return the reason why a project's root is not read any more, or `None`. Blocking."""
    try:
        resolve_root(root)
    except ToolError as problem:
        return str(problem).rstrip(".")
    return None


def open_folder(base: Path, flags: int) -> int:
    """Open a checked folder part by part, so that no link put there meanwhile is followed; return the handle."""
    *above, name = base.parts
    if not above:
        return os.open(base, flags)
    handle = os.open(above[0], _STEP)
    try:
        for part in above[1:]:
            inner = os.open(part, _STEP, dir_fd=handle)
            os.close(handle)
            handle = inner
        return os.open(name, flags, dir_fd=handle)
    finally:
        os.close(handle)


def is_own(folder: Path) -> bool:
    """Return whether a folder is in the bot's own home."""
    return any(folder.is_relative_to(home) for home in _home)


def is_kept_out(base: Path, path: Path) -> bool:
    """Return whether a file is the bot's own state, read from a root outside of it. Both are resolved."""
    return is_own(path) and not is_own(base)


def contains_home(folder: Path) -> bool:
    """Return whether the bot's own home is in a folder, which is resolved and no part of the home itself."""
    return any(home.is_relative_to(folder) for home in _home)


def home_globs(base: Path) -> list[str]:
    """Return ripgrep's options that exclude the home from a search above it."""
    inner = [home.relative_to(base).as_posix() for home in _home if home != base and home.is_relative_to(base)]
    return ["--glob=!/" + _SIGNS.sub(r"\\\1", path) for path in inner]
