"""Other programs that tools run (git, ripgrep): a few at a time, in threads, so that no start holds up the loop.

Called by `tools/git` and `tools/search`. Starting a process takes milliseconds in which an event loop stands still,
and fifty investigations start hundreds; what waits here for its turn costs nobody else anything.
"""

from __future__ import annotations

import asyncio
import os
import select
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

AT_ONCE = 4
"""Programs that run side by side, in all."""
NICE = 10
"""Their priority: the event loop, which acknowledges Slack's events, comes first on a machine with few cores."""
LONGEST_TOLD = 16_384
_PIECE = 262_144

_seats = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="child")


@dataclass(frozen=True, slots=True)
class Said:
    """What a program wrote, whether that is not all, and its exit code (0 when it was cut off)."""

    output: bytes
    cut: bool
    code: int


async def run(
    arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None, most: int, deadline: float, told: bytes = b""
) -> Said:
    """What the program says, a little over `most` bytes at most, within `deadline` seconds of its start.

    `told` is what it reads: no more than a pipe holds, which is `LONGEST_TOLD` bytes anywhere.
    Raises `TimeoutError`; `OSError` and `ValueError` when it does not start. It never outlives this call.
    """
    child = _Child(arguments, cwd, env, told)
    work = _seats.submit(child.run, most, deadline)
    try:
        return await asyncio.shield(asyncio.wrap_future(work))
    except asyncio.CancelledError:
        if not work.cancel():
            child.call_off()
            await asyncio.to_thread(work.exception)
        raise


class _Child:
    def __init__(self, arguments: Sequence[str], cwd: Path, env: Mapping[str, str] | None, told: bytes) -> None:
        if len(told) > LONGEST_TOLD:
            raise ValueError(f"{len(told)} bytes do not fit into a pipe")
        self._arguments, self._cwd, self._env, self._told = arguments, cwd, env, told
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._called_off = False

    def run(self, most: int, deadline: float) -> Said:
        """All of it; runs in a thread."""
        until = time.monotonic() + deadline
        with self._lock:
            if self._called_off:
                return Said(b"", cut=True, code=0)
            self._process = process = subprocess.Popen(
                self._arguments,
                cwd=self._cwd,
                env=self._env,
                stdin=subprocess.PIPE if self._told else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        with suppress(OSError):  # it may have ended already
            os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
        with process:
            try:
                _tell(process, self._told)
                output, cut = _output(process, most, until)
                code = 0 if cut else process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired as problem:
                raise TimeoutError from problem
            finally:
                process.kill()  # does nothing to one that has ended
        return Said(output, cut, code)

    def call_off(self) -> None:
        """End it, or do not begin it."""
        with self._lock:
            self._called_off = True
            if self._process is not None:
                self._process.kill()


def _tell(process: subprocess.Popen[bytes], told: bytes) -> None:
    """Write what fits into the pipe at once, so that nobody waits for a program that does not read."""
    if process.stdin is not None:
        with suppress(OSError), process.stdin as pipe:  # it may have ended already; its exit code says so
            pipe.write(told)


def _output(process: subprocess.Popen[bytes], most: int, until: float) -> tuple[bytes, bool]:
    assert process.stdout is not None  # noqa: S101  # it was asked for above
    handle = process.stdout.fileno()
    ready = select.poll()
    ready.register(handle, select.POLLIN)
    kept = bytearray()
    while True:
        left = until - time.monotonic()
        if left <= 0 or not ready.poll(left * 1000):
            raise TimeoutError
        piece = os.read(handle, _PIECE)
        if not piece:
            return bytes(kept), False
        kept += piece
        if len(kept) > most:
            return bytes(kept), True
