"""Where a project's folder lies: where it was found when the settings or a command named it, and never elsewhere.

Asked at each reading by `tools/files`, `tools/search` and `tools/git_folder`. A path was resolved when it was named; a
part of it that is a link since then came from whoever writes there, a repository's next commit for one, and is not
followed. The bot's own home may hold links of the bot's making, and is read by nothing that begins around it.
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
    """Take this for the bot's own home from now on, in the whole process. Blocking."""
    global _home
    _home = tuple(dict.fromkeys((home.absolute(), home.resolve())))


def settled(root: Path) -> Path:
    """The folder, which holds no link. Raises `ToolError` where it leads elsewhere than when it was named. Blocking."""
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


def moved(root: Path) -> str | None:
    """Why a project's folder is not read any more; `None` where it lies where it was named. Blocking."""
    try:
        settled(root)
    except ToolError as problem:
        return str(problem).rstrip(".")
    return None


def opened(base: Path, flags: int) -> int:
    """A handle of a settled folder, opened step by step: no link that was put there since is followed."""
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
    """Return whether a folder is the bot's own home, or lies in it."""
    return any(folder.is_relative_to(home) for home in _home)


def is_kept_out(base: Path, found: Path) -> bool:
    """Return whether a file is the bot's own state, and what reads it begins outside of that. Both are resolved."""
    return is_own(found) and not is_own(base)


def home_globs(base: Path) -> list[str]:
    """ripgrep's options by which a search that begins around the home goes by it."""
    inner = [home.relative_to(base).as_posix() for home in _home if home != base and home.is_relative_to(base)]
    return ["--glob=!/" + _SIGNS.sub(r"\\\1", path) for path in inner]
