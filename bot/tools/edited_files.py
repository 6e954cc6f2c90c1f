"""Changed files of one folder, opened part by part from its handle: no link is followed, and only regular files with no
other name are read or written.

A path counts literally. All calls block; each raises `ToolError` in plain words.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from bot.errors import ToolError
from bot.tools.denied_paths import is_denied
from bot.tools.names import is_legible
from bot.tools.roots import open_folder, resolve_root

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

MAX_FILE_BYTES = 300_000
"""Maximum bytes of a file that is changed."""
_MAX_PARTS = 30
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = _WRITE | os.O_CREAT | os.O_EXCL
_SUBMODULES = ".gitmodules"


def check_path(path: str) -> str:
    """Return the path of a file that may be changed, without a leading `./`."""
    plain = path.removeprefix("./")
    if not plain or "\0" in plain or not is_legible(plain):
        raise ToolError("The path is empty, or holds a line break or what nobody sees.")
    parts = plain.split("/")
    if {"", ".", ".."} & {*parts} or len(parts) > _MAX_PARTS:
        raise ToolError(f"{path} is no plain path below the folder: write it as glob lists it.")
    if is_denied(plain) or parts[-1].casefold() == _SUBMODULES:
        raise ToolError(f"{path} belongs to git or may hold secrets, and is never changed.")
    return plain


def read_file(root: Path, path: str) -> bytes | None:
    """Return the content of a file; `None` if there is none."""
    with _explain(path):
        try:
            with _open_parent(root, path) as (folder, name), _open_file(name, _READ, folder, path) as file:
                content = file.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            return None
    if len(content) > MAX_FILE_BYTES:
        raise ToolError(f"{path} is larger than {MAX_FILE_BYTES:,} bytes, and is not changed.")
    return content


def overwrite_file(root: Path, path: str, content: bytes) -> None:
    """Replace the content of a file that is there; its mode stays."""
    with (
        _explain(path),
        _open_parent(root, path) as (folder, name),
        _open_file(name, _WRITE, folder, path) as file,
    ):
        os.ftruncate(file.fileno(), 0)
        file.write(content)


def create_file(root: Path, path: str, content: bytes) -> None:
    """Create a file with the folders above it; nothing may have its name."""
    with (
        _explain(path),
        _open_parent(root, path, creates=True) as (folder, name),
        _open_file(name, _CREATE, folder, path) as file,
    ):
        file.write(content)


def remove_file(root: Path, path: str) -> None:
    """Remove a file that is there."""
    with _explain(path), _open_parent(root, path) as (folder, name):
        with _open_file(name, _READ, folder, path):
            pass
        os.unlink(name, dir_fd=folder)


@contextmanager
def _explain(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as problem:
        raise ToolError(f"{path} does not exist.") from problem
    except OSError as problem:
        raise ToolError(f"{path} cannot be opened without following a link: {problem.strerror}.") from problem


@contextmanager
def _open_parent(root: Path, path: str, *, creates: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the handle of the folder of a file, and the file's name. Raises `OSError`."""
    *folders, name = path.split("/")
    current = open_folder(resolve_root(root), _FOLDER)
    try:
        for folder in folders:
            if creates:
                with suppress(FileExistsError):
                    os.mkdir(folder, 0o755, dir_fd=current)
            inner = os.open(folder, _FOLDER, dir_fd=current)
            os.close(current)
            current = inner
        yield current, name
    finally:
        os.close(current)


def _open_file(name: str, flags: int, folder: int, path: str) -> BinaryIO:
    """Open a regular file without another name. Raises `OSError` and `ToolError`."""
    handle = os.open(name, flags, 0o644, dir_fd=folder)
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise ToolError(f"{path} is not a regular file.")
        if about.st_nlink > 1:
            raise ToolError(f"{path} has another name elsewhere, and is not changed.")
    except BaseException:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb" if flags == _READ else "wb")
