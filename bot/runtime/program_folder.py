"""Folder of one run of a program of the settings: its files, and the state that they show.

Bot and process share it without talking to each other: the bot writes `task.json`; the process holds a lock on `lock`
while it lives, creates `started` before the program starts, and writes `return.json` at its end. All calls block.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
from typing import TYPE_CHECKING, Literal

from bot.errors import Unreadable
from bot.models.program_run import ProgramResult, ProgramTask
from bot.runtime.atomic_file import replace_file, sync_folder
from bot.runtime.failpoints import passing
from bot.runtime.process_lock import ProcessLock
from bot.runtime.record_file import read_record

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

log = logging.getLogger(__name__)

State = Literal["empty", "unstarted", "running", "ended", "died"]
"""`unstarted`: the program has not started, and no process is about to start it. `died`: it was perhaps started, and
its process left no end."""

POINT = "programs"
_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
GONE = "Its folder was removed. It is not started again."
_DIED = "The process that ran it is gone. It is not started again."
_STUCK = "It gives no end long after its time limit. It is not started again."
_UNBEGUN = "It is not certain that nothing was started: its folder cannot be written. It is not started again."
UNKNOWN_ENDS: dict[State, str] = {"empty": GONE, "died": _DIED, "running": _STUCK, "unstarted": _UNBEGUN, "ended": GONE}
"""The reason of an unknown end, by the state of the folder."""


class ProgramFolder:
    """One folder. The constructor creates nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.task = path / "task.json"
        self.lock = path / "lock"
        self.started = path / "started"
        """There from the moment on at which the program may have started."""
        self.output = path / "output.log"
        self.returned = path / "return.json"
        self.notes = path / "process.log"
        """Complaints of the process itself."""
        self._process_lock = ProcessLock(self.lock, point=POINT)

    def read_state(self) -> State:
        """Return the state of its run."""
        if self.returned.exists():
            return "ended"
        if not self.task.exists():
            return "empty"
        was_started = self.started.exists()  # before the look at the lock: a process may take it in between
        if self.find_process() is not None:
            return "running"
        if self.returned.exists():
            return "ended"
        return "died" if was_started else "unstarted"

    def find_process(self) -> int | None:
        """Return the id of the process that runs, `None` without one."""
        pid, is_held = self._process_lock.read()
        return (pid or 0) if is_held else None

    def save_task(self, task: ProgramTask) -> None:
        """Create the folder with its task. Raises `OSError`, after which there is no task."""
        for folder in (self.path.parent, self.path):
            with passing(f"{POINT}.make", folder.name):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_folder(self.path.parent.parent, point=POINT)
        sync_folder(self.path.parent, point=POINT)
        try:
            replace_file(self.task, task.model_dump_json().encode(), point=POINT)
        except OSError:
            self.task.unlink(missing_ok=True)
            raise

    def read_task(self) -> ProgramTask | None:
        """Return its task; `None` without one. Raises `Unreadable`."""
        return read_record(self.task, ProgramTask)

    def read_end(self) -> ProgramResult | None:
        """Return its end, without output; `None` without one. Raises `Unreadable`."""
        return read_record(self.returned, ProgramResult)

    def take_lock(self) -> int | None:
        """Hold the lock until the returned file descriptor is closed; `None` while another process holds it.

        Raises `OSError`.
        """
        return self._process_lock.take(str(os.getpid()), again=True)

    def mark_started(self) -> bool:
        """Claim the one start of the program; return whether it was free. Raises `OSError`.

        On return the mark is on disk. After an error it may be there too: then nothing starts the program.
        """
        try:
            with passing(f"{POINT}.mark", self.started.name):
                handle = os.open(self.started, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        except FileExistsError:
            return False
        os.close(handle)
        sync_folder(self.path, point=POINT)
        return True

    def bar(self) -> bool:
        """Let no process start the program any more; return whether that is certain."""
        try:
            return self.mark_started()
        except OSError:
            return self.remove_task() and not self.started.exists()

    def remove_task(self) -> bool:
        """Remove its task; return whether that was possible."""
        try:
            self.task.unlink()
        except OSError:
            return False
        return True

    def was_not_started(self) -> bool:
        """Return whether its end says that nothing was started."""
        try:
            end = self.read_end()
        except Unreadable:
            return False
        return end is not None and end.outcome == "not-started"

    def write_end(self, end: ProgramResult) -> None:
        """Write its end. Raises `OSError`."""
        replace_file(self.returned, end.model_dump_json().encode(), point=POINT)


def is_run_id(text: str) -> bool:
    """Return whether a text can be the name of a folder."""
    return _RUN_ID.fullmatch(text) is not None


def list_tasks(parent: Path) -> list[tuple[ProgramFolder, ProgramTask]]:
    """Return the folders whose task can be read, by name."""
    found = []
    for folder in _list_folders(parent):
        try:
            task = folder.read_task()
        except Unreadable:
            continue
        if task is not None:
            found.append((folder, task))
    return found


def remove_old(parent: Path, before: datetime) -> None:
    """Remove the folders that nothing has changed since that time, and that no process uses."""
    for folder in _list_folders(parent):
        try:
            is_old = folder.path.stat().st_mtime < before.timestamp()
            if is_old and folder.find_process() is None:
                shutil.rmtree(folder.path)
        except OSError as problem:
            log.warning("%s could not be removed: %s", folder.path, problem.strerror)


def _list_folders(parent: Path) -> list[ProgramFolder]:
    try:
        names = sorted(entry.name for entry in os.scandir(parent) if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []
    return [ProgramFolder(parent / name) for name in names]
