"""Launcher of processes of tiers 2 and 3: in tmux where it exists, else detached; and their end by force.

Each run has its own tmux server, whose socket is in its folder. All calls block. A second process for the same run
ends at once (`RunFolder.take_lock`), so that a doubtful start may be repeated.
"""

from __future__ import annotations

import logging
import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.escalation.environment import list_secret_names
from bot.runtime.detached_process import start_detached
from bot.runtime.failpoints import passing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.escalation.folder import RunFolder

log = logging.getLogger(__name__)

HEADLESS = (sys.executable, "-P", "-m", "bot", "headless")
FIX = (*HEADLESS, "--fix")
PATIENCE = 5.0
"""Seconds between SIGTERM, after which a process may write its end, and SIGKILL."""
_TMUX_SECONDS = 10.0
_STEP = 0.05
_LONGEST_SOCKET = 100
"""Maximum length of a socket's path, in bytes; the system allows 107."""
_LINES_KEPT = "20000"


@dataclass(frozen=True)
class Launched:
    """The place where a process can be watched."""

    tmux_session: str | None
    """`None` for a detached process."""
    watch_command: str


@dataclass(frozen=True, kw_only=True)
class Launcher:
    """Launcher. `tmux` is the path of that program; `None` starts detached processes only."""

    tmux: str | None
    command: Sequence[str] = HEADLESS
    """Program and first arguments of a process; `--task DIR` follows."""
    _children: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, folder: RunFolder, name: str, environment: Mapping[str, str]) -> Launched:
        """Start the process of a run with exactly this environment. Raises `RetryLater` if it cannot be started.

        `name` is the task's, for its session in tmux.
        """
        command = [*self.command, "--task", str(folder.path)]
        with passing("escalations.start", folder.path.name):
            if not (self.tmux and self._start_in_tmux(self.tmux, folder, session_name(name), command, environment)):
                self._start_detached(folder, command, environment)
        return self.describe(folder, name)

    def describe(self, folder: RunFolder, name: str) -> Launched:
        """Return where the present run of a folder can be watched, also one that an earlier bot started."""
        session = session_name(name)
        if not folder.socket.exists():
            return Launched(None, f"tail -f {shlex.quote(str(folder.transcript))}")
        attach = f"attach -r -t {session}"
        if len(os.fsencode(folder.socket)) > _LONGEST_SOCKET:
            place = f"cd {shlex.quote(str(folder.path))} && tmux -S {folder.socket.name}"
            return Launched(session, f"{place} {attach}")
        return Launched(session, f"tmux -S {shlex.quote(str(folder.socket))} {attach}")

    def kill(self, folder: RunFolder, *, patience: float = PATIENCE) -> None:
        """End the process of a run with all that it started, also by another bot; on return it is gone.

        It may write its end first, within `patience` seconds.
        """
        with passing("escalations.kill", folder.path.name):
            for number, seconds in ((signal.SIGTERM, patience), (signal.SIGKILL, _TMUX_SECONDS)):
                _signal_group(folder.find_process(), number)
                until = time.monotonic() + seconds
                while folder.find_process() is not None and time.monotonic() < until:
                    time.sleep(_STEP)
            if self.tmux and folder.socket.exists():
                _call(self.tmux, folder, {}, "kill-server")
        self.reap()

    def reap(self, *, patience: float = 0.0) -> None:
        """Collect the exit codes of ended processes of this bot."""
        for child in [*self._children]:
            with suppress(subprocess.TimeoutExpired):
                child.wait(patience)
                self._children.remove(child)

    def _start_in_tmux(
        self, tmux: str, folder: RunFolder, session: str, command: Sequence[str], environment: Mapping[str, str]
    ) -> bool:
        """Return whether the process was started in its own tmux server, now or before."""
        if folder.socket.exists() and not _call(tmux, folder, {}, "has-session", "-t", f"={session}"):
            return True
        secrets = (("set-environment", "-g", "-u", name) for name in list_secret_names(environment))
        size = ("-x", "160", "-y", "48")
        orders = (
            ("start-server",),
            ("set-option", "-g", "history-limit", _LINES_KEPT),
            ("new-session", "-d", "-s", session, *size, "-c", str(folder.path), *command),
            *secrets,
        )
        words = [word for order in orders for word in (*order, ";")]
        problem = _call(tmux, folder, environment, *words[:-1])
        if not problem:
            return True
        _call(tmux, folder, {}, "kill-server")
        folder.socket.unlink(missing_ok=True)
        log.warning("tmux could not start %s, which runs as a detached process: %s", session, problem)
        return False

    def _start_detached(self, folder: RunFolder, command: Sequence[str], environment: Mapping[str, str]) -> None:
        child = start_detached(command, cwd=folder.path, environment=environment, output=folder.transcript)
        self._children.append(child)


def session_name(task: str) -> str:
    """Return the name of a task's session in tmux, which allows neither dots nor colons."""
    return "triage-" + "".join(char if char.isalnum() or char in "-_" else "-" for char in task)


def _call(tmux: str, folder: RunFolder, environment: Mapping[str, str], *words: str) -> str:
    """Run tmux with the folder's socket, without anybody's settings; return its complaint, empty if it had none."""
    command = (tmux, "-u", "-f", os.devnull, "-S", folder.socket.name, *words)
    try:
        result = subprocess.run(
            command,
            cwd=folder.path,  # the socket's path is relative to it, since a whole one may be too long
            env={"PATH": os.defpath, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TMUX_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return type(problem).__name__
    complaint = result.stderr.decode(errors="replace").strip()
    return (complaint or f"exit code {result.returncode}") if result.returncode else ""


def _signal_group(pid: int | None, number: signal.Signals) -> None:
    """Send a signal to the process group of a run, which its process leads; also one that has outlived it."""
    if pid is None or pid in (os.getpid(), os.getpgrp()):
        return
    try:
        os.killpg(pid, number)
    except ProcessLookupError:  # it leads none
        with suppress(ProcessLookupError):
            os.kill(pid, number)
