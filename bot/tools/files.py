"""Reader of a project's files, with the rules for files that no agent may read.

Every open goes through here: below the root, without symbolic links, only regular files, without hard links outside
(`tools/links`), at most `MAX_BYTES`.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.tools.denied_paths import is_denied
from bot.tools.links import is_linked_outside
from bot.tools.names import is_legible
from bot.tools.roots import is_kept_out, open_folder, resolve_root

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 2_000_000
"""Maximum bytes of a file."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: opening a FIFO must not wait for a writer.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def resolve_file(root: Path, path: str) -> Path:
    """Return the absolute path of the regular file `path` in `root`, symbolic links resolved.

    Raises `ToolError` when it is outside the root, on the deny-list, missing or not a regular file.
    """
    target = resolve_entry(root, path)
    if not stat.S_ISREG(_read_mode(target, path)):
        raise ToolError(f"{path} is not a regular file.")
    return target


def resolve_entry(root: Path, path: str) -> Path:
    """Return the absolute path of the file or folder `path` in `root`, symbolic links resolved; raises as
    `resolve_file` does."""
    if not path or "\0" in path:
        raise ToolError("The path is empty or holds a NUL character.")
    if not is_legible(path):
        raise ToolError("The path holds a line break or what nobody sees, and is never read.")
    if is_denied(path):
        raise ToolError(f"{path} may hold secrets and is never read.")
    base = resolve_root(root)
    try:
        if is_denied(base.as_posix()):
            raise ToolError(f"{base} may hold secrets and is never read.")
        target = (base / path).resolve()
        if not target.is_relative_to(base):  # before anything is asked about it: not even whether it exists
            raise ToolError(f"{path} lies outside the project's folder.")
        if is_denied(target.relative_to(base).as_posix()):
            raise ToolError(f"{path} leads to a file that may hold secrets and is never read.")
        if is_kept_out(base, target):
            raise ToolError(f"{path} is Triage's own state and no part of the project.")
    except (OSError, UnicodeError, RuntimeError) as error:  # RuntimeError: links that lead in a circle
        raise ToolError(f"{_printable(path)} does not exist or cannot be opened.") from error
    _read_mode(target, path)
    return target


def _read_mode(target: Path, path: str) -> int:
    try:
        return target.stat().st_mode
    except OSError as error:
        raise ToolError(f"{_printable(path)} does not exist or cannot be opened.") from error


def plain_path(root: Path, path: str) -> str:
    """Return a path without redundant steps; unchanged if it leads out of the root.

    `..` after a link may lead elsewhere than its text suggests, so the disk is checked first. Blocking.
    """
    if path.startswith("/") or not {"", ".", ".."} & set(path.split("/")):
        return path
    if ".." in path.split("/"):
        try:
            return resolve_file(root, path).relative_to(resolve_root(root)).as_posix()
        except ToolError:  # a file of an earlier commit
            plain = os.path.relpath(os.path.normpath(root / path), root)
            return path if plain.startswith("..") else plain
    return os.path.normpath(path)


def read_lines(root: Path, path: str) -> tuple[str, ...]:
    r"""Read the lines of a text file in `root`, without their `\n` or `\r\n`; no other character ends a line.

    Raises `ToolError` as `resolve_file` does, and for a binary file or one above `MAX_BYTES`. Bytes that are not UTF-8
    become U+FFFD, so two reads of one file agree.
    """
    return lines_of(read_content(root, path))


def read_content(root: Path, path: str) -> bytes:
    """Read the bytes of a text file in `root`, as `read_lines` does."""
    content = _read(root, resolve_file(root, path), path)
    if b"\0" in content:
        raise ToolError(f"{path} is a binary file.")
    return content


def lines_of(content: bytes) -> tuple[str, ...]:
    """Split the bytes of a text file into lines."""
    lines = content.decode("utf-8-sig", errors="replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    return tuple(line[:-1] if line.endswith("\r") else line for line in lines)


def _read(root: Path, target: Path, path: str) -> bytes:
    """Read the bytes of `target`, opened part by part from the root, so that a link put there meanwhile is not
    followed."""
    base = resolve_root(root)
    if not target.is_relative_to(base):
        raise ToolError(f"{path} lies outside the project's folder.")
    *folders, name = target.relative_to(base).parts
    try:
        current = open_folder(base, _FOLDER)
        try:
            for folder in folders:
                inner = os.open(folder, _FOLDER, dir_fd=current)
                os.close(current)
                current = inner
            handle = os.open(name, _FILE, dir_fd=current)
        finally:
            os.close(current)
        with os.fdopen(handle, "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise ToolError(f"{path} is not a regular file.")
            if about.st_size > MAX_BYTES:
                raise ToolError(f"{path} is larger than {MAX_BYTES:,} bytes.")
            content = file.read(about.st_size + 1)
            if len(content) > about.st_size:  # it grows
                content += file.read(MAX_BYTES + 1 - len(content))
            if is_linked_outside(base, about, content):
                raise ToolError(f"{path} has another name outside the project's folder; copy it to have it read.")
    except OSError as error:
        raise ToolError(f"{path} cannot be opened: {error.strerror}.") from error
    if len(content) > MAX_BYTES:
        raise ToolError(f"{path} is larger than {MAX_BYTES:,} bytes.")
    return content


def _printable(path: str) -> str:
    return path.encode("utf-8", errors="replace").decode("utf-8")
