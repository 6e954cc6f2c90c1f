"""A nursery of bots: `python -m tests.torture.bot` loads the bot's code once and forks a process for each order.

Orders are JSON lines on standard input; what happens to each bot is said in JSON lines on standard output. Each bot is
a separate process and dies by a real SIGKILL; only the loading of its code is saved, which is most of a start. Only
here are fault points armed.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

import bot.agents.keyword  # noqa: F401  # loaded before the forks
import tests.compiled  # noqa: F401  # as above
from bot.adapters.home import Home
from bot.adapters.journal import NdjsonJournal
from bot.adapters.logs import set_up
from bot.config.environment import read_environment
from bot.config.settings import load
from bot.runtime import failpoints
from bot.wiring.app import build
from tests.torture.clock import MovedClock
from tests.torture.faults import VARIABLE, Faults, read

HEADLESS = (sys.executable, str(Path(__file__).with_name("headless.py")), "headless")
"""Process of a long run, with the faults that its lane orders."""

ROTATED_AT = 8_000
"""Bytes from which a journal is set aside here, so that one line sees it happen."""


def main() -> None:
    """Serve orders until standard input ends, and end all bots with it."""
    alive: set[int] = set()
    gc.collect()
    gc.freeze()  # a collection in a bot would copy every page that it shares with this process

    def reap(*_: object) -> None:
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                alive.discard(found[0])
                _say(ended=found[0], code=os.waitstatus_to_exitcode(found[1]))

    signal.signal(signal.SIGCHLD, reap)
    _say(loaded=os.getpid())
    while line := sys.stdin.readline():
        order: dict[str, Any] = json.loads(line)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        if (pid := os.fork()) == 0:
            _become_bot(order)
        alive.add(pid)
        _say(started=pid, number=order["number"])
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    for pid in [*alive]:
        os.kill(pid, signal.SIGKILL)


def _say(**said: Any) -> None:
    os.write(1, json.dumps(said).encode() + b"\n")


def _become_bot(order: dict[str, Any]) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    os.environ.update(order["variables"])
    folder = Path(order["home"])
    os.dup2(os.open(folder.parent / "stderr.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
    code = 1
    try:
        code = asyncio.run(_run(Path(order["config"]), folder, settling=order["settling"]))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


async def _run(config: Path, folder: Path, *, settling: float) -> int:
    """What `triage run` does, with a clock that can be moved and a settling time for loopback."""
    if orders := os.environ.get(VARIABLE):
        failpoints.arm(Faults(read(orders)))
    orphaned = asyncio.create_task(_end_with_parent(os.getppid()))
    home = Home(folder)
    await home.lock()
    set_up(home.system, redact=str)
    made = await build(load(config), read_environment(), home, clock=MovedClock(folder.parent / "clock"))
    made.delivery.search_delay_seconds = made.surfaces.views.cards.search_delay_seconds = settling
    for journal in made.core.journals:
        assert isinstance(journal, NdjsonJournal)
        journal._max_bytes = ROTATED_AT
    if made.supervisor:  # without tmux: a server for each run takes longer
        object.__setattr__(made.supervisor.launcher, "command", HEADLESS)
        object.__setattr__(made.supervisor.launcher, "tmux", None)
    stop: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    ends: list[asyncio.Future[Any]] = [stop, made.core.stop.future]
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.cancel)
    try:
        await made.start()
        _say(ready=os.getpid())
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await made.stop()
        home.unlock()
        orphaned.cancel()
    return 1 if made.core.stop.future.done() else 0


async def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:  # noqa: ASYNC110  # no event tells a process that its parent died
        await asyncio.sleep(1)
    os._exit(1)


if __name__ == "__main__":
    main()
