"""Real processes for tests: orders to the stand-in, and waits for its words and its end."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.escalation.folder import RunFolder
from bot.escalation.launcher import Launcher
from tests.escalation import stand_in
from tests.escalation.builders import THREAD

TMUX = shutil.which("tmux")
needs_tmux = pytest.mark.skipif(TMUX is None, reason="tmux is not installed")
SECONDS = 20.0
"""Maximum time of a wait for a process, on a busy machine."""
COMMAND = (sys.executable, str(Path(stand_in.__file__)))


@dataclass
class Machine:
    """A home with orders for the stand-in, and a launcher of it."""

    home: Path
    launcher: Launcher

    def folder(self, thread_id: str = THREAD) -> RunFolder:
        """The folder of a thread."""
        return RunFolder(self.home / "escalations" / thread_id)

    def order(self, *lines: str, tier: int | None = None) -> None:
        """Tell the next process what to do."""
        name = f"orders-{tier}" if tier else "orders"
        (self.home / name).write_text("".join(f"{line}\n" for line in lines))

    async def told(self) -> str:
        """Wait for the next word of a process."""
        handle = os.open(self.home / "told", os.O_RDWR | os.O_NONBLOCK)  # with a writer, it never ends in between
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        pipe = os.fdopen(handle, "rb", buffering=0)
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        try:
            return (await asyncio.wait_for(reader.readline(), SECONDS)).decode().strip()
        finally:
            transport.close()


async def until_free(folder: RunFolder) -> None:
    """Wait until no process holds the lock."""

    def wait() -> None:
        with folder.lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH)

    await asyncio.wait_for(asyncio.to_thread(wait), SECONDS)


@contextmanager
def machine(home: Path, *, tmux: str | None = None) -> Iterator[Machine]:
    """Yield a machine whose processes end with it."""
    home.mkdir(exist_ok=True)
    os.mkfifo(home / "told", 0o600)
    launcher = Launcher(tmux=tmux, command=COMMAND)
    made = Machine(home, launcher)
    try:
        yield made
    finally:
        for path in (home / "escalations").glob("*"):
            launcher.kill(RunFolder(path), patience=0.0)
        launcher.reap(patience=SECONDS)
