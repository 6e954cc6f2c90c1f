"""Folder of a thread's runs of tiers 2 and 3: its files, the state that they show, and the step to the next run.

Bot and process share it without talking to each other: the bot writes `task.json`, the process holds a lock on `lock`
while it lives and writes `.done` at its end. All calls block.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from bot.errors import Unreadable
from bot.models.escalation import EscalationTask, HeadlessReturn
from bot.models.session import Session
from bot.runtime.atomic_file import replace_file, sync_folder
from bot.runtime.failpoints import passing
from bot.runtime.process_lock import ProcessLock
from bot.runtime.record_file import Record, read_record

if TYPE_CHECKING:
    from pathlib import Path

State = Literal["empty", "unstarted", "running", "ended", "died"]
"""`unstarted`: no process has taken the lock yet. `died`: one had it, and left no end."""

TASK = "task.json"
CHILD = "child"
"""Folder of the next run's task until that run begins."""
EARLIER = "earlier"
UNREADABLE = "unreadable"
"""Folder in `earlier` of a run whose task does not parse."""
_LAST_BYTES = 4_096
_POINT = "escalations"


class RunFolder:
    """One folder. The constructor creates nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.task = path / TASK
        self.lock = path / "lock"
        self._process_lock = ProcessLock(self.lock, point=_POINT)
        self.session = path / "session.json"
        self.messages = path / "messages.ndjson"
        self.transcript = path / "transcript.log"
        self.handoff = path / "handoff.json"
        self.judgement = path / "judgement.json"
        """The decision about the handoff, once it is made."""
        self.kill_order = path / "kill.json"
        """The reason why the bot ended the run, once it has decided to."""
        self.returned = path / "return.json"
        self.done = path / ".done"
        self.program = path / "program"
        """Files of the team's own program, which knows no other place of the folder."""
        self.socket = path / "tmux"
        """Socket of the run's tmux server."""
        self.child_task = path / CHILD / TASK

    @property
    def thread_id(self) -> str:
        """Return the thread that it belongs to."""
        return self.path.name

    def read_state(self) -> State:
        """Return the state of its run."""
        if not self.task.exists():
            return "empty"
        if self.done.exists():
            return "ended"
        pid, is_held = self._process_lock.read()
        if is_held:
            return "running"
        if pid is None:
            return "unstarted"
        return "ended" if self.done.exists() else "died"  # it may have ended between the two looks

    def is_current(self, session_id: str) -> bool:
        """Return whether its run, begun or not, is that of this session."""
        try:
            task = self.read_task()
        except Unreadable:
            return False
        return task is not None and task.session_id == session_id

    def find_process(self) -> int | None:
        """Return the id of the process that runs, `None` without one."""
        pid, is_held = self._process_lock.read()
        return pid or None if is_held else None

    def was_begun(self) -> bool:
        """Return whether a process has ever taken the lock."""
        return bool(self._process_lock.read()[0])

    def bar(self) -> None:
        """Let no process begin any more, unless one has begun. Raises `OSError`."""
        if (handle := self._process_lock.take("0")) is not None:
            os.close(handle)

    def take_lock(self) -> int | None:
        """Hold the lock until the returned file descriptor is closed; the first act of a process.

        Returns `None` where the run has, or had, another process: then nothing is to be done.
        """
        return self._process_lock.take(str(os.getpid()))

    def read_task(self) -> EscalationTask | None:
        """Return the task of its run; `None` without one. Raises `Unreadable`."""
        return read_record(self.task, EscalationTask)

    def read_child_task(self) -> EscalationTask | None:
        """Return the saved task of the next run; `None` without one. Raises `Unreadable`."""
        return read_record(self.child_task, EscalationTask)

    def read_session(self) -> Session | None:
        """Return the session as its process saved it last; `None` without one. Raises `Unreadable`."""
        return read_record(self.session, Session)

    def read_return(self) -> HeadlessReturn | None:
        """Return the result of the process; `None` without one. Raises `Unreadable`."""
        return read_record(self.returned, HeadlessReturn)

    def read_record(self, path: Path, record: type[Record]) -> Record | None:
        """Return another of its records; `None` without one. Raises `Unreadable`."""
        return read_record(path, record)

    def read_latest(self) -> str:
        """Return the last line of the transcript; empty without one."""
        try:
            with self.transcript.open("rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _LAST_BYTES))
                lines = file.read().decode(errors="replace").splitlines()
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def read_size(self) -> int:
        """Return the size of the transcript in bytes; 0 without one."""
        try:
            return self.transcript.stat().st_size
        except OSError:
            return 0

    def write(self, path: Path, record: dict[str, Any]) -> None:
        """Write one of its files atomically. Raises `OSError`."""
        replace_file(path, json.dumps(record).encode(), point=_POINT)

    def mark_done(self) -> None:
        """Write `.done`, the last act of a process. Raises `OSError`."""
        replace_file(self.done, b"", point=_POINT)

    def save_task(self, record: dict[str, Any]) -> None:
        """Create the folder with its task, or replace that. Raises `OSError`."""
        for folder in (self.path.parent, self.path):
            with passing(f"{_POINT}.make", folder.name):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_folder(self.path.parent, point=_POINT)
        self.write(self.task, record)

    def save_child(self, task: EscalationTask) -> None:
        """Save the task of the next run, which `promote` begins. Raises `OSError`."""
        for folder in (self.path.parent, self.path, self.child_task.parent):
            with passing(f"{_POINT}.make", folder.name):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_folder(self.path.parent, point=_POINT)
        sync_folder(self.path, point=_POINT)
        replace_file(self.child_task, task.model_dump_json().encode(), point=_POINT)

    def drop_child(self) -> None:
        """Forget the next run's task. Raises `OSError`."""
        self.remove(self.child_task)
        with suppress(FileNotFoundError):
            self.child_task.parent.rmdir()

    def remove(self, path: Path) -> None:
        """Remove one of its files, if it is there. Raises `OSError`."""
        with passing(f"{_POINT}.remove", path.name):
            path.unlink(missing_ok=True)
        if path.parent.is_dir():
            sync_folder(path.parent, point=_POINT)

    def promote(self) -> None:
        """Put the run before aside, into `earlier/<session_id>/`, and the saved task in its place.

        After a crash at any step another call completes it: the old `task.json`, which names the target, moves last.
        Raises `OSError`.
        """
        if not self.child_task.exists():
            return
        self.remove(self.handoff)
        if self.task.exists() or self._entries():
            self._put_aside()
        with passing(f"{_POINT}.rename", TASK):
            self.child_task.replace(self.task)
        with suppress(FileNotFoundError):
            self.child_task.parent.rmdir()
        sync_folder(self.path, point=_POINT)

    def append_message(self, ts: str, by: str, text: str) -> bool:
        """Append a follow-up for the process, each once; return whether it was new. Raises `OSError`."""
        content = self.messages.read_bytes() if self.messages.exists() else b""
        if any(_is_message(line, ts) for line in content.splitlines()):
            return False
        line = json.dumps({"ts": ts, "by": by, "text": text}).encode() + b"\n"
        handle = os.open(self.messages, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "ab") as file, passing(f"{_POINT}.append", self.messages.name):
            file.write(line if content.endswith(b"\n") or not content else b"\n" + line)
            file.flush()
            os.fsync(file.fileno())
        return True

    def _entries(self) -> list[Path]:
        """Return the files of the run before, its task at the end."""
        entries = [path for path in self.path.iterdir() if path.name not in (CHILD, EARLIER)]
        return sorted(entries, key=lambda path: (path.name == TASK, path.name))

    def _put_aside(self) -> None:
        try:
            task = self.read_task()
        except Unreadable:
            task = None
        target = self.path / EARLIER / (task.session_id if task else UNREADABLE)
        for folder in (target.parent, target):
            folder.mkdir(mode=0o700, exist_ok=True)
        for entry in self._entries():
            if (target / entry.name).is_dir():
                shutil.rmtree(target / entry.name)
            with passing(f"{_POINT}.rename", entry.name):
                entry.replace(target / entry.name)
        sync_folder(target, point=_POINT)
        sync_folder(self.path, point=_POINT)


def list_folders(parent: Path) -> list[RunFolder]:
    """Return the folders of all threads, by name."""
    try:
        names = sorted(entry.name for entry in os.scandir(parent) if entry.is_dir(follow_symlinks=False))
    except FileNotFoundError:
        return []
    return [RunFolder(parent / name) for name in names]


def _is_message(line: bytes, ts: str) -> bool:
    try:
        record = json.loads(line)
    except ValueError:
        return False
    return isinstance(record, dict) and record.get("ts") == ts
