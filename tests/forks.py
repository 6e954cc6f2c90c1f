"""Commands and bots as real processes, forked from one that has loaded the bot's code, which is most of a start."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING

from bot.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from multiprocessing.context import ForkServerProcess

ROOT = Path(__file__).resolve().parents[1]
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("SLACK_", "TRIAGE_", "ANTHROPIC_"))}
"""The environment without what a developer's own bot needs."""

PATIENCE = 60
"""Seconds after which a command counts as stuck."""

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__, "tests.preloaded"])


def triage(
    *arguments: str, stdin: str = "", cwd: Path = ROOT, variables: Mapping[str, str] = MappingProxyType({})
) -> subprocess.CompletedProcess[str]:
    """Run `triage` to its end. Where a variable of the interpreter's own is given, it is a fresh process."""
    if any(name.startswith("PYTHON") for name in variables):
        return _fresh(arguments, stdin, cwd, variables)
    with begun(*arguments, stdin=stdin, cwd=cwd, variables=variables) as command:
        command.process.join(PATIENCE)
        if command.process.exitcode is None:
            raise TimeoutError(f"triage {' '.join(arguments)} did not end: {command.err.read_text()}")
        code = command.process.exitcode
        return subprocess.CompletedProcess(arguments, code, command.out.read_text(), command.err.read_text())


@dataclass(frozen=True)
class Begun:
    """A command that runs, and the files that it writes to."""

    process: ForkServerProcess
    out: Path
    err: Path

    def stopped(self) -> int | None:
        """Its exit code after SIGTERM."""
        self.process.terminate()
        self.process.join(PATIENCE)
        return self.process.exitcode


@dataclass(frozen=True)
class Terminal:
    """A pseudo-terminal: a person's end of it, and its path for a command."""

    ours: int
    path: Path

    def type(self, keys: str) -> None:
        """Press keys; `\x03` is Ctrl-C."""
        os.write(self.ours, keys.encode())

    def read_until(self, text: str) -> str:
        """All that is shown up to this text."""
        shown = ""
        while text not in shown:
            shown += os.read(self.ours, 4_096).decode(errors="replace")
        return shown


@contextmanager
def terminal() -> Iterator[Terminal]:
    """A pseudo-terminal, until the end of the block."""
    ours, theirs = os.openpty()
    try:
        yield Terminal(ours, Path(os.ttyname(theirs)))
    finally:
        os.close(ours)
        os.close(theirs)


@contextmanager
def begun(
    *arguments: str,
    stdin: str = "",
    cwd: Path = ROOT,
    variables: Mapping[str, str] = MappingProxyType({}),
    at: Terminal | None = None,
) -> Iterator[Begun]:
    """Start `triage`, with its input and its notes at a terminal if one is given.

    Where it has not ended by the end of the block, it is killed.
    """
    with TemporaryDirectory() as folder:
        given, out, err = (Path(folder) / name for name in ("in", "out", "err"))
        given.write_text(stdin)
        for written in (out, err):
            written.touch()
        streams = (at.path, out, at.path) if at else (given, out, err)
        process = FORKS.Process(target=_command, args=(arguments, streams, cwd, {**CLEAN, **variables}))
        process.start()
        try:
            yield Begun(process, out, err)
        finally:
            process.kill()
            process.join()


def _fresh(
    arguments: tuple[str, ...], stdin: str, cwd: Path, variables: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        input=stdin,
        env={**CLEAN, "PYTHONPATH": str(ROOT), **variables},
        cwd=cwd,
        text=True,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )


def _command(
    arguments: tuple[str, ...], streams: tuple[Path, Path, Path], cwd: Path, variables: Mapping[str, str]
) -> None:
    given, out, err = streams
    if given.is_char_device():
        os.setsid()  # the terminal that is opened next becomes its own, so that Ctrl-C reaches it
    for number, path, how in ((0, given, os.O_RDONLY), (1, out, os.O_WRONLY), (2, err, os.O_WRONLY)):
        opened = os.open(path, how | os.O_CREAT, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(cwd)
    sys.argv = ["triage", *arguments]
    sys.exit(main())
