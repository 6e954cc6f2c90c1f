"""`triage run`, but killed with SIGKILL at one save: `python -m tests.line.dying_bot before|after STATUS CONFIG HOME`.

With `never` it lives, and waits for doubtful posts to settle for less long than the real one.

*before*: the effect of the status before it is done and its result is lost; *after*: the status is saved and its effect
was never started.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from bot.app import build
from bot.edges.documents import Documents
from bot.edges.home import Home
from bot.environment import environment
from bot.models.thread import Thread
from bot.settings import load


class DyingStore(Documents):
    """Documents whose process dies at the first save of one status."""

    def __init__(self, folder: Path, *, moment: str, status: str) -> None:
        super().__init__(folder, on_broken=lambda problem: sys.exit(str(problem)))
        self._moment, self._status = moment, status

    async def save(self, thread: Thread) -> Thread:
        """Save, or die just before or after it."""
        dies = thread.status == self._status
        if dies and self._moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        saved = await super().save(thread)
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        return saved


async def main(moment: str, status: str, config: Path, folder: Path) -> None:
    """Run until the save that kills."""
    home = Home(folder)
    await home.lock()
    bot = await build(load(config), environment(), home)
    bot.orchestrator.store = DyingStore(home.state, moment=moment, status=status)
    bot.delivery.settling_seconds = bot.cards.settling_seconds = 0.2
    await bot.start()
    print("Triage is ready", flush=True)  # noqa: T201  # the test waits for it
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()
    await bot.stop()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])))
