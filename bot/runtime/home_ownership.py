"""Ownership of a home: it is a folder of Triage alone, and only the user of this process may have written to it.

Files that other users could have written are refused by name before they are read, and left unchanged: they may be the
bot's own, restored from a backup or left by another user's start, and the operator can tell.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, get_args

from bot.errors import Misconfigured
from bot.ports.storage import StateName

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHECKOUTS = "checkouts"
"""Folder of fetched projects."""
_DEEPEST = 3
"""Levels below a home's checkouts that are checked: deeper trees hold hundreds of thousands of files that only their
owner may write."""
_NAMES_SHOWN = 3
_FOLDERS = {"checkouts", "command-runs", "conversations", "demo", "escalations", "evaluations", "fixes", "indexes"}
_FOLDERS |= {"notes", "quarantine", "runbooks", "sessions", "state", "tasks"}
_STATES = {*get_args(StateName), "health", "restart", "weights", "weights.previous"}
"""Names in a home, of folders and of JSON files; beside them are its journals, its lock and its socket."""
_HARMLESS = ("lost+found", "triage.yml")
"""Names that may be in a home before the first start, as names that begin with a point may."""


def exposure_reason(path: Path) -> str:
    """Return the reason why a home is not this user's alone, with the next step; empty if it is.

    A user with write access to a parent folder may rename its entries, except those of others in a sticky folder such
    as /tmp.
    """
    real = path.resolve()
    own = real.stat()
    if own.st_mode & stat.S_IWOTH and own.st_mode & stat.S_ISVTX:
        return f"{path}: everybody may write to this folder, so it cannot be a home; name another with --home"
    if own.st_uid != os.geteuid():
        return _belongs_to_another(path, own.st_uid)
    if reason := others_reason(path):
        return reason
    for below, folder in zip((real, *real.parents), real.parents, strict=False):
        status = folder.stat()
        if not _for_others(status, stat.S_IWGRP, stat.S_IWOTH):
            continue
        if not status.st_mode & stat.S_ISVTX:
            then = f"`chmod go-w {folder}`, or name another home with --home"
            return f"{path}: others may write to {folder}, and so replace the home by another folder; {then}"
        if below.stat().st_uid not in (0, os.geteuid()):
            then = "name another home with --home"
            return f"{path}: {below} belongs to another user, in a folder where everybody may write; {then}"
    return ""


def is_of_home(name: str) -> bool:
    """Return whether Triage gives this name to a file or folder of a home."""
    if name in _FOLDERS or name in ("lock", "control.sock"):
        return True
    stem, _, kind = name.removesuffix(".gz").rpartition(".")
    return kind == "ndjson" or (kind == "json" and stem in _STATES)


def others_reason(path: Path) -> str:
    """Return the reason why a folder is no home, with the next step: it holds something else, and nothing of a home;
    empty if it is one, or can become one."""
    try:
        names = os.listdir(path)  # noqa: PTH208  # names alone
    except PermissionError:
        return ""
    others = [name for name in names if name not in _HARMLESS and not name.startswith(".")]
    if not others or any(map(is_of_home, names)):
        return ""
    expected = "expected a folder for the state alone, which is closed to other users"
    return f"{path}: {expected}, and it holds {_list_some(others)}; name an empty or a new one with --home"


def _belongs_to_another(path: Path, owner: int) -> str:
    theirs, mine = _name_of(owner), _name_of(os.geteuid())
    mend = f"run it as {theirs}, give the home to {mine} (`chown -R {mine} {path.resolve()}`) if all in it is yours"
    return f"{path}: the home belongs to {theirs}, and this runs as {mine}; {mend}, or name another with --home"


def closed_reason(path: Path) -> str:
    """Return the reason why this user may not write to a home, with the next step."""
    status = path.stat()
    if status.st_uid != os.geteuid():
        return _belongs_to_another(path, status.st_uid)
    if status.st_mode & stat.S_IRWXU == stat.S_IRWXU:
        return f"{path}: the home cannot be written to: its file system is read-only; name another with --home"
    mode = f"mode {stat.S_IMODE(status.st_mode):03o}"
    return f"{path}: the home cannot be written to ({mode}); `chmod 700 {path}`, or name another with --home"


def foreign_files_reason(path: Path) -> str:
    """List the files in a home that other users made or could have written, with the next step; empty if there are
    none."""
    is_open = _for_others(path.stat(), stat.S_IXGRP, stat.S_IXOTH)
    theirs, writable = list[str](), list[str]()
    for each, status in _entries(path):
        if not _is_ours(each, status):
            theirs.append(f"{os.path.relpath(each, path)} ({_name_of(status.st_uid)})")
        elif is_open and not stat.S_ISLNK(status.st_mode) and _for_others(status, stat.S_IWGRP, stat.S_IWOTH):
            writable.append(os.path.relpath(each, path))
    complaints = []
    mine = _name_of(os.geteuid())
    if theirs:
        mend = f"remove the files that are not yours, then `chown -R {mine} {path.resolve()}`"
        complaints.append(f"{path}: not made by {mine}: {_list_some(theirs)}; {mend}")
    if writable:
        mend = f"check their content, then `chmod -R go-rwx {path.resolve()}`"
        complaints.append(f"{path}: others could write to {_list_some(writable)}; {mend}")
    return "\n".join(complaints)


def close_to_others(path: Path) -> str:
    """Remove other users' access to a home, and their right to write to its files; blocking.

    Return a line about the changes, empty if there were none. Raises `Misconfigured`, without a change, if the home or
    its files are not this user's alone.
    """
    _demand(exposure_reason(path) or foreign_files_reason(path))
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        path.chmod(0o700)
        if path.stat().st_mode & 0o022:
            raise Misconfigured(
                f"{path}: its file system ignores the mode and lets others write; name another home with --home"
            )
        _demand(foreign_files_reason(path))  # files that were added during the first check
    count = sum(_remove_write_right(each, status.st_mode) for each, status in _entries(path))
    closed = [f"the home was open to others ({mode:03o})"] if mode & 0o077 else []
    closed += [f"others could write to {count} of its files and folders"] if count else []
    return f"{path}: {' and '.join(closed)}; that is closed now" if closed else ""


def _demand(problem: str) -> None:
    if problem:
        raise Misconfigured(problem)


def _name_of(user: int) -> str:
    """Return a user's name, or the number without one."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def _list_some(names: list[str]) -> str:
    suffix = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    listed = ", ".join(sorted(names)[:_NAMES_SHOWN])
    return "".join(char if char.isprintable() else "?" for char in listed) + suffix


def _is_ours(path: str, status: os.stat_result) -> bool:
    """Return whether this user owns a file, or root does and this user may use it: root can do anything anyway."""
    if status.st_uid == os.geteuid():
        return True
    needed = os.R_OK | os.W_OK | (os.X_OK if stat.S_ISDIR(status.st_mode) else 0)
    return status.st_uid == 0 and os.access(path, needed)


def _for_others(status: os.stat_result, of_group: int, of_all: int) -> bool:
    """Return whether other users have a right; the user's private group on Linux does not count as others."""
    if status.st_mode & of_all or not status.st_mode & of_group:
        return bool(status.st_mode & of_all)
    try:
        return grp.getgrgid(status.st_gid).gr_name != pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return True


def _entries(path: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Yield all entries of a home with their own status; of fetched code only the upper folders."""
    folders = deque([(str(path), -1)])
    while folders:
        folder, depth = folders.popleft()
        with suppress(FileNotFoundError, PermissionError), os.scandir(folder) as listed:
            for entry in listed:
                with suppress(FileNotFoundError):
                    yield entry.path, entry.stat(follow_symlinks=False)
                    is_deep = depth >= _DEEPEST
                    if entry.is_dir(follow_symlinks=False) and not is_deep:
                        inner = 0 if folder == str(path) and entry.name == CHECKOUTS else depth + (depth >= 0)
                        folders.append((entry.path, inner))


def _remove_write_right(path: str, mode: int) -> bool:
    """Remove other users' right to write, if they have it; return whether they had."""
    if stat.S_ISLNK(mode) or not mode & 0o022:
        return False
    try:
        os.chmod(path, stat.S_IMODE(mode) & ~0o022)  # noqa: PTH101  # one of thousands of files: no Path is made for it
    except FileNotFoundError:
        return False
    except OSError:
        raise Misconfigured(f"{path}: others may write to it: its owner must `chmod go-w {path}`") from None
    return True
