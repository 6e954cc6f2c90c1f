"""Child program: a team's own program in its process group, with its output as it comes; the group never outlives it.

A guard leads the group, and ends it where this process is killed: its input closes then.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections import deque
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

MOST_KEPT = 4_000_000
"""Bytes of the output that are kept: its end."""
LAST_LINES = 8
"""Last lines of all output, kept for the reason of a failure."""
PATIENCE = 2.0
"""Seconds between SIGTERM and SIGKILL, for the end after that, and for the rest of the output after the end."""
_PIECE = 8_192
_LONGEST_LINE = 4_000
_GUARD = "trap '' HUP INT TERM; read -r _; kill -s KILL 0"


@dataclass(frozen=True)
class ProgramEnd:
    """End of a program."""

    code: int
    """Exit code; negative for the signal that ended it."""
    output: str
    """The end of its standard output."""
    last_lines: tuple[str, ...]


class ChildProgram:
    """One program. `show` takes lines of its output, in blocks, since a secret may span lines.

    `patience` is the time in seconds between SIGTERM and SIGKILL. With `joins_errors` its error output is part of the
    output, in the order of its writing.
    """

    def __init__(
        self, show: Callable[[Sequence[str]], None], *, patience: float = PATIENCE, joins_errors: bool = False
    ) -> None:
        self._show = show
        self._patience = patience
        self._joins_errors = joins_errors
        self._output = bytearray()
        self._last: deque[str] = deque(maxlen=LAST_LINES)
        self.lives_on = False
        """True if it could not be ended: it runs with the rights of another user."""

    @property
    def output(self) -> str:
        """Return the end of its standard output so far."""
        return self._output.decode("utf-8", "replace")

    async def run(self, command: Sequence[str], *, cwd: Path, environment: Mapping[str, str]) -> ProgramEnd:
        """Run it to its end, with an empty input. Raises `OSError` if it cannot be started.

        A cancelled call ends it with its whole group. A program that has taken another user's rights may live on.
        """
        async with _open_pipe() as (output, stdout), _open_pipe() as (errors, stderr), _guard() as group:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=cwd,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=subprocess.STDOUT if self._joins_errors else stderr,
                process_group=group,
            )
            stdout.close()
            stderr.close()
            reading = [
                asyncio.ensure_future(self._read(output, is_output=True)),
                asyncio.ensure_future(self._read(errors, is_output=False)),
            ]
            try:
                code = await process.wait()
            finally:
                await _end_group(process, group, self._patience)
                self.lives_on = process.returncode is None
                await asyncio.wait(reading, timeout=PATIENCE)  # a program that left the group may hold a pipe open
                for task in reading:
                    task.cancel()
        return ProgramEnd(code=code, output=self.output, last_lines=tuple(self._last))

    async def _read(self, stream: asyncio.StreamReader, *, is_output: bool) -> None:
        rest = b""
        while piece := await stream.read(_PIECE):
            if is_output:
                self._output += piece
                del self._output[:-MOST_KEPT]
            *lines, rest = (rest + piece).split(b"\n")
            rest = rest[:_LONGEST_LINE]
            self._take(lines)
        self._take([rest])

    def _take(self, lines: Sequence[bytes]) -> None:
        texts = [line[:_LONGEST_LINE].decode("utf-8", "replace") for line in lines if line.strip()]
        if texts:
            self._last.extend(texts)
            self._show(texts)


@asynccontextmanager
async def _open_pipe() -> AsyncIterator[tuple[asyncio.StreamReader, BinaryIO]]:
    """Yield a reader and the other end of its pipe.

    With a pipe of `asyncio`'s own, `wait` would wait for its end, too, which children that live on delay.
    """
    reading_end, writing_end = os.pipe()
    with os.fdopen(writing_end, "wb") as target:
        reader = asyncio.StreamReader()
        pipe = os.fdopen(reading_end, "rb", buffering=0)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        try:
            yield reader, target
        finally:
            transport.close()


@asynccontextmanager
async def _guard() -> AsyncIterator[int]:
    """Yield a new process group, led by a process that kills it once this process is gone."""
    process = await asyncio.create_subprocess_exec(
        "/bin/sh",
        "-c",
        _GUARD,
        env={},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )
    try:
        yield process.pid
    finally:
        _signal(process, process.pid, signal.SIGKILL)
        await process.wait()


async def _end_group(process: asyncio.subprocess.Process, group: int, patience: float) -> None:
    """End the program, first politely, then all that is left of its group.

    The program itself is signalled too: it may have left the group.
    """
    if process.returncode is None:
        _signal(process, group, signal.SIGTERM)
        await _wait(process, patience)
    _signal(process, group, signal.SIGKILL)
    await _wait(process, PATIENCE)


async def _wait(process: asyncio.subprocess.Process, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), seconds)


def _signal(process: asyncio.subprocess.Process, group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
    with suppress(ProcessLookupError, PermissionError):
        if process.returncode is None and os.getpgid(process.pid) != group:
            process.send_signal(number)
