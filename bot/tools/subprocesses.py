"""Subprocesses of tools (git, ripgrep): a few at a time, in threads, so that no start blocks the event loop.

Starting a process blocks for milliseconds, and fifty investigations start hundreds; here they queue without delaying
others. Each starts inside the isolation boundary (`bot/isolation`), with only the variables that its caller names.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.isolation import boundary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from bot.isolation import Grant

AT_ONCE = 4
"""Maximum number of programs that run concurrently."""
NICE = 10
"""Nice value of the programs: the event loop, which acknowledges Slack's events, has priority on a machine with few
cores."""
LONGEST_TOLD = 16_384
LONGEST_COMPLAINT = 1_000
_PIECE = 262_144

_seats = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="child")


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """Output of a program, if it was cut, and its exit code (0 when it was cut off)."""

    output: bytes
    cut: bool
    code: int


async def run(
    arguments: Sequence[str],
    *,
    cwd: Path,
    grant: Callable[[], Grant],
    env: Mapping[str, str],
    max_bytes: int,
    deadline: float,
    stdin_data: bytes = b"",
) -> ProgramOutput:
    """Run a program; return a little over `max_bytes` bytes of its output at most, within `deadline` seconds of its
    start.

    `grant` computes what the program may see, from the disk. `stdin_data` is its input, at most `LONGEST_TOLD` bytes,
    which fit into a pipe on any system. Raises `TimeoutError`; `OSError` and `ValueError` when it does not start;
    `Misconfigured` if a required boundary is missing. The program never outlives this call."""
    child = _Child(arguments, cwd, grant, env, stdin_data)
    work = _seats.submit(child.run, max_bytes, deadline)
    try:
        return await asyncio.shield(asyncio.wrap_future(work))
    except asyncio.CancelledError:
        if not work.cancel():
            child.cancel()
            await asyncio.to_thread(work.exception)
        raise


class _Child:
    def __init__(
        self, arguments: Sequence[str], cwd: Path, grant: Callable[[], Grant], env: Mapping[str, str], stdin_data: bytes
    ) -> None:
        if len(stdin_data) > LONGEST_TOLD:
            raise ValueError(f"{len(stdin_data)} bytes do not fit into a pipe")
        self._arguments, self._cwd, self._grant, self._env, self._stdin_data = arguments, cwd, grant, env, stdin_data
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._called_off = False

    def run(self, max_bytes: int, deadline: float) -> ProgramOutput:
        """Run the program to its end; blocking, in a thread."""
        until = time.monotonic() + deadline
        limits = boundary()
        command = limits.arguments(self._grant(), self._arguments)
        with self._lock:
            if self._called_off:
                return ProgramOutput(b"", cut=True, code=0)
            self._process = process = subprocess.Popen(
                command,
                cwd=self._cwd,
                env=self._env,
                stdin=subprocess.PIPE if self._stdin_data else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0,
            )
        with suppress(OSError):  # it may have ended already
            os.setpriority(os.PRIO_PGRP, process.pid, NICE)  # of the boundary and of what starts inside it
        with process:
            try:
                _tell(process, self._stdin_data)
                output, complaint, cut = _output(process, max_bytes, until)
                code = 0 if cut else process.wait(max(0.0, until - time.monotonic()))
                complaint += _rest(process)
            except subprocess.TimeoutExpired as problem:
                raise TimeoutError from problem
            finally:
                _end(process)
        if code:
            limits.check(complaint)
        return ProgramOutput(output, cut, code)

    def cancel(self) -> None:
        """Kill the program, or prevent its start."""
        with self._lock:
            self._called_off = True
            if self._process is not None:
                _end(self._process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a running program with its whole process group: a boundary during setup would leave its inside running."""
    if process.poll() is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)


def _tell(process: subprocess.Popen[bytes], stdin_data: bytes) -> None:
    """Write the input immediately, since it fits into the pipe; a program that does not read cannot block this."""
    if process.stdin is not None:
        with suppress(OSError), process.stdin as pipe:  # it may have ended already; its exit code says so
            pipe.write(stdin_data)


def _output(process: subprocess.Popen[bytes], max_bytes: int, until: float) -> tuple[bytes, bytes, bool]:
    """Return the output, the beginning of the error output meanwhile, and if there was more than `max_bytes`."""
    assert process.stdout is not None  # noqa: S101  # it was asked for above
    assert process.stderr is not None  # noqa: S101  # the same
    output, complaints = process.stdout.fileno(), process.stderr.fileno()
    received, complaint = bytearray(), bytearray()
    ready = select.poll()
    ready.register(output, select.POLLIN)
    ready.register(complaints, select.POLLIN)
    while True:
        left = until - time.monotonic()
        if left <= 0 or not (events := ready.poll(left * 1000)):
            raise TimeoutError
        for handle, _ in events:
            piece = os.read(handle, _PIECE)
            if handle == complaints:
                complaint += piece[: LONGEST_COMPLAINT - len(complaint)]
                if not piece:
                    ready.unregister(complaints)
            elif not piece:
                return bytes(received), bytes(complaint), False
            else:
                received += piece
        if len(received) > max_bytes:
            return bytes(received), bytes(complaint), True


def _rest(process: subprocess.Popen[bytes]) -> bytes:
    """Return the rest of the error output without waiting, since a child may hold the pipe open."""
    assert process.stderr is not None  # noqa: S101  # it was asked for above
    os.set_blocking(process.stderr.fileno(), False)
    try:
        return os.read(process.stderr.fileno(), LONGEST_COMPLAINT)
    except BlockingIOError:
        return b""
