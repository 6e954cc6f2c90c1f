"""Other programs that tools run (git, ripgrep): a few at a time, in threads, so that no start holds up the loop.

Starting a process takes milliseconds in which an event loop stands still, and fifty investigations start hundreds; what
waits here for its turn costs nobody else anything. Each starts inside the boundary of the operating system
(`bot/isolation`), with the variables that its caller names and no other.
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
"""Programs that run side by side, in all."""
NICE = 10
"""Their priority: the event loop, which acknowledges Slack's events, comes first on a machine with few cores."""
LONGEST_TOLD = 16_384
LONGEST_COMPLAINT = 1_000
_PIECE = 262_144

_seats = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="child")


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """What a program wrote, whether that is not all, and its exit code (0 when it was cut off)."""

    output: bytes
    cut: bool
    code: int


async def run(
    arguments: Sequence[str],
    *,
    cwd: Path,
    grant: Callable[[], Grant],
    env: Mapping[str, str],
    most: int,
    deadline: float,
    told: bytes = b"",
) -> ProgramOutput:
    """What the program says, a little over `most` bytes at most, within `deadline` seconds of its start.

    `grant` looks at the disk for what the program may see. `told` is what it reads: no more than a pipe holds, which is
    `LONGEST_TOLD` bytes anywhere. Raises `TimeoutError`; `OSError` and `ValueError` when it does not start;
    `Misconfigured` where there must be a boundary and is none. It never outlives this call.
    """
    child = _Child(arguments, cwd, grant, env, told)
    work = _seats.submit(child.run, most, deadline)
    try:
        return await asyncio.shield(asyncio.wrap_future(work))
    except asyncio.CancelledError:
        if not work.cancel():
            child.call_off()
            await asyncio.to_thread(work.exception)
        raise


class _Child:
    def __init__(
        self, arguments: Sequence[str], cwd: Path, grant: Callable[[], Grant], env: Mapping[str, str], told: bytes
    ) -> None:
        if len(told) > LONGEST_TOLD:
            raise ValueError(f"{len(told)} bytes do not fit into a pipe")
        self._arguments, self._cwd, self._grant, self._env, self._told = arguments, cwd, grant, env, told
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._called_off = False

    def run(self, most: int, deadline: float) -> ProgramOutput:
        """All of it; runs in a thread."""
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
                stdin=subprocess.PIPE if self._told else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0,
            )
        with suppress(OSError):  # it may have ended already
            os.setpriority(os.PRIO_PGRP, process.pid, NICE)  # of the boundary and of what starts inside it
        with process:
            try:
                _tell(process, self._told)
                output, complaint, cut = _output(process, most, until)
                code = 0 if cut else process.wait(max(0.0, until - time.monotonic()))
                complaint += _rest(process)
            except subprocess.TimeoutExpired as problem:
                raise TimeoutError from problem
            finally:
                _end(process)
        if code:
            limits.check(complaint)
        return ProgramOutput(output, cut, code)

    def call_off(self) -> None:
        """End it, or do not begin it."""
        with self._lock:
            self._called_off = True
            if self._process is not None:
                _end(self._process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill it unless it has ended, with its whole group: a boundary that is only being made would leave its inside."""
    if process.poll() is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)


def _tell(process: subprocess.Popen[bytes], told: bytes) -> None:
    """Write what fits into the pipe at once, so that nobody waits for a program that does not read."""
    if process.stdin is not None:
        with suppress(OSError), process.stdin as pipe:  # it may have ended already; its exit code says so
            pipe.write(told)


def _output(process: subprocess.Popen[bytes], most: int, until: float) -> tuple[bytes, bytes, bool]:
    """What it wrote, the beginning of what it complained of meanwhile, and whether there was more than `most`."""
    assert process.stdout is not None  # noqa: S101  # it was asked for above
    assert process.stderr is not None  # noqa: S101  # the same
    output, complaints = process.stdout.fileno(), process.stderr.fileno()
    kept, complaint = bytearray(), bytearray()
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
                return bytes(kept), bytes(complaint), False
            else:
                kept += piece
        if len(kept) > most:
            return bytes(kept), bytes(complaint), True


def _rest(process: subprocess.Popen[bytes]) -> bytes:
    """What it complained of at its end; what it started may hold the pipe open, and nobody waits for that."""
    assert process.stderr is not None  # noqa: S101  # it was asked for above
    os.set_blocking(process.stderr.fileno(), False)
    try:
        return os.read(process.stderr.fileno(), LONGEST_COMPLAINT)
    except BlockingIOError:
        return b""
