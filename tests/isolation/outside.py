"""A machine with something to find: a home with a key, a project, sockets; and a program that is started among them."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.isolation import Grant, boundary
from bot.isolation.program import locate_program
from bot.tools import subprocesses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

INSIDE = Path(__file__).with_name("inside.py")
CANARY = "canary-" + "of-the-home"
GIVEN = "LC_ALL"
KERNEL = tuple(f"/proc/sys/kernel/{name}" for name in ("core_pattern", "modprobe", "hostname", "panic", "poweroff_cmd"))
"""Settings that a program of root could write, and with some of them run what it likes."""
SET_BY_BWRAP = "PWD LC_CTYPE"
"""The folder where it starts; and what Python itself sets."""


@dataclass(frozen=True, slots=True)
class Outside:
    """Folders, and the port and the name of sockets that greet."""

    home: Path
    project: Path
    port: int
    name: str

    @property
    def tries(self) -> list[tuple[str, Any]]:
        """Each thing that must not be had."""
        key, state = self.home / ".ssh" / "id_ed25519", self.home / ".triage"
        return [
            *(("read", str(path)) for path in (key, state / "state.json", self.home / "beside" / "other.py")),
            *(("read", f"/proc/{pid}/environ") for pid in (1, os.getpid(), os.getppid(), "self", "thread-self")),
            *(
                ("read", path)
                for path in (f"{self.project}/../.ssh/id_ed25519", "/etc/shadow", "/dev/kmsg", "/dev/tty")
            ),
            *(("read", path) for path in ("/sys/kernel/notes", "/root/.bashrc", "/var/lib/dpkg/status", "/run/utmp")),
            *(("names", str(path)) for path in (self.home / ".ssh", state, "/proc", "/sys", "/mnt", "/srv", "/run")),
            *(("write", str(path)) for path in (self.project / "a.py", self.project / "new.py", key, "/usr/bin/rg")),
            *(("write", path) for path in ("/etc/ld.so.cache", "/usr/lib/new.so", "/bin/sh")),
            *(("remove", str(path)) for path in (self.project / "a.py", key)),
            *(("link", str(path)) for path in (self.project / "a.py", "/usr/bin/git")),
            *(("connect", self.port), ("send", self.port), ("abstract", self.name)),
            *(
                ("unix", str(path))
                for path in (state / "control.sock", "/run/dbus/system_bus_socket", "/var/run/docker.sock")
            ),
            *(("open", path) for path in (*KERNEL, "/proc/sysrq-trigger", "/proc/1/oom_score_adj")),
            *(("kill", pid) for pid in (os.getpid(), os.getppid())),
            *(("remount", str(path)) for path in (self.project, "/usr", "/")),
        ]


@contextlib.contextmanager
def machine(folder: Path) -> Iterator[Outside]:
    """All of it in `folder`, for as long as a test takes."""
    home, project = folder / "home", folder / "home" / "project"
    for inner in (home / ".ssh", home / ".triage", home / "beside", project):
        inner.mkdir(parents=True)
    for path in (home / ".ssh" / "id_ed25519", home / ".triage" / "state.json", home / "beside" / "other.py"):
        path.write_text(CANARY)
    (project / "a.py").write_text("x = 1\n")
    name = f"triage-{os.getpid()}-{abs(hash(folder))}"
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        for address in (f"\0{name}", str(home / ".triage" / "control.sock")):
            named = stack.enter_context(socket.socket(socket.AF_UNIX))
            with contextlib.suppress(OSError):  # a path that is too long for a socket
                named.bind(address)
                named.listen()
        threading.Thread(target=_greet, args=(listener,), daemon=True).start()
        yield Outside(home, project, listener.getsockname()[1], name)


def _greet(listener: socket.socket) -> None:
    while True:
        try:
            made, _ = listener.accept()
        except OSError:
            return
        with made:
            made.sendall(CANARY.encode())


async def got(
    tries: Sequence[tuple[str, Any]], project: Path, *, writes: Sequence[Path] = (), equipped: bool = False
) -> list[Any]:
    """The answer to each try of a program that was granted a project for reading."""
    program = locate_program((sys.executable, "-I", str(INSIDE), json.dumps(tries)))
    grant = Grant(folder=project, reads=(project, *program.reads), writes=tuple(writes), is_equipped=equipped)
    said = await subprocesses.run(
        program.command, cwd=project, grant=lambda: grant, env={GIVEN: "C.UTF-8"}, max_bytes=1_000_000, deadline=30
    )
    answers: list[Any] = json.loads(said.output)
    return answers


def refused() -> str:
    """Why there is no boundary on this machine; nothing where there is one."""
    return "" if boundary().bwrap else boundary().problem
