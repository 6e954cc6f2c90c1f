"""Hard links that lead out of a project: files that have another name, which does not lie below its root.

A link looks like any file, so the count of its names tells: where a file has more of them than lie below the root,
somebody may have linked what is to stay outside. A copy made of links (`cp -al`) of a checkout stays readable, since
what git holds of a project is no news.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from functools import lru_cache
from typing import TYPE_CHECKING

from bot.errors import Misconfigured, ToolError
from bot.isolation import boundary
from bot.tools.git import sealed

if TYPE_CHECKING:
    from pathlib import Path

MOST_LOOKED_AT = 200_000
"""Files below a root among which other names of one are looked for."""
_SECONDS = 10.0


def is_linked_outside(base: Path, about: os.stat_result, content: bytes) -> bool:
    """Return whether an opened file below `base` has a name outside, and git does not hold what it says."""
    if about.st_nlink < 2:
        return False
    # The time of the last change of the file's state is another one as soon as a name of it is made, taken or moved.
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
    """Return whether the repository around `base` holds a file that says the same."""
    try:
        command, environment, grant = sealed(base, "cat-file", "-t", blob)
        command = boundary().arguments(grant, command)
    except (ToolError, Misconfigured):  # there is none; or it may not be read without a boundary
        return False
    try:
        said = subprocess.run(
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
    return said.stdout.strip() == b"blob"


def _blob(content: bytes) -> bytes:
    return b"blob %d\0" % len(content) + content
