"""Detection of hard links out of a project: files with another name outside of its root.

A link looks like any file, so the link count decides: if a file has more names than are found below the root, it may be
a link to a file that must stay outside. A checkout copied with links (`cp -al`) stays readable, since git holds the
content anyway.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from functools import lru_cache
from typing import TYPE_CHECKING

from bot.errors import Misconfigured, ToolError
from bot.isolation import boundary
from bot.tools.git import build_command

if TYPE_CHECKING:
    from pathlib import Path

MOST_LOOKED_AT = 200_000
"""Maximum number of files below a root that are searched for other names."""
_SECONDS = 10.0


def is_linked_outside(base: Path, about: os.stat_result, content: bytes) -> bool:
    """Return whether an opened file below `base` has a name outside, and git does not hold its content."""
    if about.st_nlink < 2:
        return False
    # The ctime changes whenever a name of the file is added, removed or moved.
    key = (about.st_dev, about.st_ino, about.st_ctime_ns, about.st_nlink)
    return not _is_inside(base, key) and not _is_in_git(base, key, hashlib.sha1(_blob(content)).hexdigest())  # noqa: S324  # git's name of it


@lru_cache(maxsize=4096)
def _is_inside(base: Path, key: tuple[int, int, int, int]) -> bool:
    """Return whether all names of a file lie below `base`, on its device."""
    device, number, _, names = key
    looked_at = 0
    for folder, folders, files in os.walk(base):
        folders[:] = [name for name in folders if name != ".git"]
        looked_at += len(files)
        for name in files:
            try:
                about = os.lstat(f"{folder}/{name}")
            except OSError:
                continue
            names -= (about.st_dev, about.st_ino) == (device, number)
        if names <= 0:
            return True
        if looked_at > MOST_LOOKED_AT:
            return False
    return False


@lru_cache(maxsize=4096)
def _is_in_git(base: Path, key: tuple[int, int, int, int], blob: str) -> bool:
    """Return whether the repository around `base` holds a file with this content."""
    try:
        command, environment, grant = build_command(base, "cat-file", "-t", blob)
        command = boundary().arguments(grant, command)
    except (ToolError, Misconfigured):  # no repository, or a required boundary is missing
        return False
    try:
        result = subprocess.run(
            command,
            cwd=base,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return result.stdout.strip() == b"blob"


def _blob(content: bytes) -> bytes:
    return b"blob %d\0" % len(content) + content
