"""Home: the folder for all state (folders 0700, files 0600), and the lock that gives it one owner."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, get_args

from bot.errors import Misconfigured
from bot.models.health import Health, Role
from bot.runtime.failpoints import passing
from bot.runtime.home_ownership import close_to_others, closed_reason

if TYPE_CHECKING:
    from pathlib import Path

PROJECTS = "projects.json"
"""Projects and changes of projects made by commands."""

PATIENCE = 2.0
"""Seconds to wait for an owner that is about to end, such as the process that this one replaces."""


class Home:
    """Paths below one folder. The constructor creates the folder; `lock` makes this process its owner."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with passing("home.make", path.name):
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as problem:
            why = f"the home cannot be created: {problem.strerror}"
            raise Misconfigured(f"{path}: {why}; name another with --home") from None
        if not os.access(path, os.W_OK | os.X_OK):
            raise Misconfigured(closed_reason(path))
        self.events = path / "events.ndjson"
        self.classified = path / "events-classified.ndjson"
        self.replies = path / "replies.ndjson"
        self.labels = path / "labels.ndjson"
        self.feedback = path / "feedback.ndjson"
        self.judgements = path / "judgements.ndjson"
        self.audit = path / "audit.ndjson"
        self.system = path / "system.ndjson"
        self.state = path / "state"
        self.schedule = path / "schedule.json"
        self.watched = path / "watched.json"
        self.controls = path / "controls.json"
        self.muted = path / "muted.json"
        self.projects = path / PROJECTS
        self.repositories = path / "repositories.json"
        self.active_projects = path / "active-projects.json"
        self.allowance = path / "allowance.json"
        self.restart = path / "restart.json"
        self.confirmations = path / "confirmations.json"
        self.samples = path / "samples.json"
        self.auto_reply_channels = path / "auto-reply-channels.json"
        self.auto_replies = path / "auto-replies.json"
        self.auto_reply_gates = path / "auto-reply-gates.json"
        self.reminders = path / "reminders.json"
        self.access = path / "access.json"
        self.services = path / "services.json"
        self.incidents = path / "incidents.json"
        self.orders = path / "orders.json"
        self.agents = path / "agents.json"
        self.hooks = path / "hooks.json"
        self.service_history = path / "health.ndjson"
        self.control = path / "control.sock"
        self.sessions = path / "sessions"
        self.tasks = path / "tasks"
        self.notes = path / "notes"
        self.conversations = path / "conversations"
        self.evaluations = path / "evaluations"
        self.escalations = path / "escalations"
        self.runbooks = path / "runbooks"
        self.command_runs = path / "command-runs"
        self.fixes = path / "fixes"
        self.indexes = path / "indexes"
        self._health = path / "health.json"
        self._lock = path / "lock"
        self._owned: int | None = None

    async def lock(self) -> str:
        """Own the home until `unlock` or the end of this process; return the permissions that were tightened.

        Raises `Misconfigured` if another process owns it, or if others could have written its files.
        """
        try:
            closed = await asyncio.to_thread(close_to_others, self.path)  # before any file in it is opened
            with passing("home.open", self._lock.name):
                handle = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as problem:
            raise self._build_error(problem) from None
        try:
            with passing("home.make", self.state.name):
                self.state.mkdir(mode=0o700, exist_ok=True)
            await self._take(handle)
        except BaseException as problem:
            os.close(handle)
            if isinstance(problem, OSError):
                raise self._build_error(problem) from None
            raise
        self._owned = handle
        return closed

    async def _take(self, handle: int) -> None:
        """Lock the file and write this process's id into it."""
        for _ in range(int(PATIENCE / 0.1)):
            with passing("home.flock", self._lock.name):
                is_locked = _try_lock(handle)
            if is_locked:
                with passing("home.write", self._lock.name):
                    os.ftruncate(handle, 0)
                    os.pwrite(handle, str(os.getpid()).encode(), 0)
                return
            await asyncio.sleep(0.1)
        owner = os.pread(handle, 20, 0).decode(errors="replace").strip() or "unknown"
        raise Misconfigured(f"{self.path}: another Triage (process {owner}) runs on this home; stop it or use --home")

    def _build_error(self, problem: OSError) -> Misconfigured:
        return Misconfigured(f"{self.path}: the home cannot be used: {problem.strerror}; name another with --home")

    def unlock(self) -> None:
        """Release the home for another process."""
        if self._owned is not None:
            with passing("home.unlock", self._lock.name):
                os.close(self._owned)
            self._owned = None

    @property
    def is_owned(self) -> bool:
        """Return whether this process owns the home that is at its path now."""
        try:
            return self._owned is not None and os.path.samestat(os.fstat(self._owned), self._lock.stat())
        except OSError:
            return False

    def owner(self) -> int | None:
        """Return the process that owns the home now."""
        try:
            handle = os.open(self._lock, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            return None
        try:
            content = os.pread(handle, 20, 0).decode(errors="replace").strip()
            return None if _try_lock(handle) else int(content) if content.isdecimal() else 0
        finally:
            os.close(handle)

    def owned_at(self) -> datetime | None:
        """Return the time when the present or last owner took the home; `None` if there was none."""
        try:
            return datetime.fromtimestamp(self._lock.stat().st_mtime, UTC)
        except OSError:
            return None

    def write_health(self, health: Health) -> None:
        """Save this process's status for `triage doctor`."""
        text = json.dumps(asdict(health) | {"at": health.at.isoformat()})
        beside = self._health.with_suffix(".tmp")
        with passing("home.open", beside.name):
            handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as file, passing("home.write", beside.name):
            file.write(text)
            file.flush()
        with passing("home.rename", self._health.name):
            beside.replace(self._health)

    def health(self) -> Health | None:
        """Return the last status that a bot saved."""
        try:
            with passing("home.read", self._health.name):
                record = json.loads(self._health.read_text())
            role = record.get("role", "bot")
            return Health(
                at=datetime.fromisoformat(record["at"]),
                pid=record["pid"],
                connected=record["connected"],
                role=role if role in get_args(Role) else "bot",
                is_database_away=bool(record.get("is_database_away")),
                searches=str(record.get("searches", "")),
                problems=tuple(map(str, record.get("problems", ()))),
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
