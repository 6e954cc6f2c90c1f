"""Terminal of a person who runs a command and watches its output."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import struct
import termios
from contextlib import suppress

_SIZE = struct.pack("HHHH", 48, 160, 0, 0)
"""Rows and columns, as of a run's own terminal."""


async def is_shown(command: str, word: str, *, seconds: float) -> bool:
    """Run a shell command at a terminal until it shows a word; return whether it did in time."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, _SIZE)
    variables = {name: value for name, value in os.environ.items() if name != "TMUX"}  # also within another tmux
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(ours, "rb", buffering=0)
    )
    try:
        process = await asyncio.create_subprocess_shell(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**variables, "TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(theirs)
        try:
            await asyncio.wait_for(reader.readuntil(word.encode()), seconds)
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return False
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    finally:
        transport.close()
    return True
