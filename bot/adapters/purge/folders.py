"""Purge of folders: those of tasks, and of long runs."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.thread_id import THREAD_ID
from bot.runtime.atomic_file import sync_folder
from bot.runtime.process_lock import ProcessLock
from bot.runtime.removed_folder import unlock_folder

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from bot.models.purge_criterion import Criterion


@dataclass(frozen=True)
class SharedThreads:
    """Threads whose documents are not in the home: the ids of all, and the contents of those that a purge removes."""

    ids: frozenset[str] = frozenset()
    removed: tuple[bytes, ...] = ()


NO_THREADS = SharedThreads()


def remove_folders(
    home: Path, criterion: Criterion, runs: Path | None, *, really: bool, shared: SharedThreads = NO_THREADS
) -> None:
    """Remove the folders of tasks and escalations: those of removed threads, and by age those whose thread is gone.

    Beside the runs of a folder elsewhere there may be anything: only the names of threads are folders of runs.
    """
    owned = [(folder, _owner(folder)) for folder in sorted((home / "tasks").glob("*")) if folder.is_dir()]
    for parent in filter(None, (home / "escalations", runs)):
        owned += [(folder, folder.name) for folder in _list_folders(parent) if re.fullmatch(THREAD_ID, folder.name)]
    for folder, owner in owned:
        if criterion.before is not None:
            is_old = folder.stat().st_mtime < criterion.before.timestamp()
            is_removed = is_old and owner not in shared.ids and not (home / "state" / f"{owner}.json").exists()
        else:
            is_removed = criterion.takes_document(f"{owner}.json", folder.name.encode() + _read_files(folder))
        if is_removed and really:
            shutil.rmtree(folder)
            sync_folder(folder.parent, point="purge")


def find_runs(home: Path, criterion: Criterion, shared: SharedThreads = NO_THREADS) -> tuple[Path, ...]:
    """Return the folders of runs that a purge removes: of runbooks those that removed documents name, of commands those
    that contain what is removed, of fixes also those of removed threads, and by age the old ones."""
    folders, commands, fixes = (_list_folders(home / name) for name in ("runbooks", "command-runs", "fixes"))
    if criterion.before is not None:
        every = (*folders, *commands, *fixes)
        return tuple(path for path in every if path.stat().st_mtime < criterion.before.timestamp())
    paths = [path for folder in ("state", "quarantine") for path in (home / folder).glob("*.json")] if folders else []
    contents = [content for path in paths if criterion.takes_document(path.name, content := path.read_bytes())]
    contents += shared.removed
    named = [path for path in folders if any(path.name.encode() in content for content in contents)]
    commands = [path for path in commands if criterion.takes_document("", _read_files(path))]
    fixes = [path for path in fixes if criterion.takes_document(f"{_owner(path)}.json", _read_files(path))]
    return (*named, *commands, *fixes)


def _list_folders(parent: Path) -> list[Path]:
    return [path for path in sorted(parent.glob("*")) if path.is_dir() and not path.is_symlink()]


def _read_files(folder: Path) -> bytes:
    regular = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return b"".join(path.read_bytes() for path in regular)


def remove_runs(folders: Iterable[Path]) -> None:
    """Remove the folders of these runs, except one under way."""
    for folder in folders:
        _, is_held = ProcessLock(folder / "lock", point="purge").read()
        if not is_held:
            unlock_folder(folder)  # the copies on which a check ran, if the run was killed
            shutil.rmtree(folder)
            sync_folder(folder.parent, point="purge")


def _owner(folder: Path) -> str:
    """Return the id of the thread whose task is in a folder; the folder's name if no record has it."""
    for path in sorted(folder.glob("*.json"), key=lambda path: path.name != "task.json"):
        with contextlib.suppress(ValueError, AttributeError):
            record = json.loads(path.read_bytes())
            if isinstance(owner := record.get("threadId") or record.get("thread_id"), str):
                return owner
    return folder.name
