"""What the loop of the bot does in CPU time, where others use the machine: its longest steps, syncs, collections.

`python -m measure.steps [RATE [COUNT]]` feeds a bot as `load_bench` does and prints what was counted. Times are those
of the loop's own thread, so that they hold beside other work. The bot is this module too, with the counters in it.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from operator import itemgetter
from pathlib import Path
from typing import Any

from measure.labelled import DATA, STREAM
from measure.load_bench import ROOT, SETTINGS, SETTLED, app_of

SHOWN = 25


class Steps:
    """Everything that is counted."""

    def __init__(self, report: Path) -> None:
        self._report = report
        self.reset()

    def reset(self, *_: Any) -> None:
        """Count anew."""
        self.took, self.count, self.syncs = defaultdict[str, float](float), Counter[str](), Counter[str]()
        self.longest: list[tuple[float, str]] = []
        self.collections: list[tuple[float, int]] = []
        self._began = time.process_time(), time.thread_time()

    def write(self, *_: Any) -> None:
        """Write down what was counted."""
        process, loop = time.process_time() - self._began[0], time.thread_time() - self._began[1]
        slowest = sorted(self.took.items(), key=itemgetter(1), reverse=True)[:SHOWN]
        said = [f"CPU of the process {process:.3f} s, of its loop {loop:.3f} s; syncs {dict(self.syncs)}"]
        said += [f"{1000 * took:8.1f} ms in {self.count[name]:6} {name}" for name, took in slowest]
        said += [
            "longest steps, ms:",
            *(f"{1000 * took:8.1f} {name}" for took, name in sorted(self.longest)[:-SHOWN:-1]),
        ]
        said += [
            "longest collections, ms:",
            *(f"{1000 * took:8.1f} generation {age}" for took, age in sorted(self.collections)[:-6:-1]),
        ]
        self._report.write_text("\n".join(said) + "\n")

    def watch(self) -> None:
        """Put the counters where steps, syncs and collections pass."""
        step, sync, began = asyncio.events.Handle._run, os.fsync, [0.0]

        def timed(handle: asyncio.Handle) -> None:
            name, before = _name(handle), time.thread_time()
            step(handle)
            took = time.thread_time() - before
            self.took[name] += took
            self.count[name] += 1
            if took > 0.002:
                self.longest.append((took, name))

        def counted(fd: Any) -> None:
            self.syncs[threading.current_thread().name.split("_")[0]] += 1
            sync(fd)

        def collected(phase: str, about: dict[str, int]) -> None:
            if phase == "start":
                began[0] = time.thread_time()
            else:
                self.collections.append((time.thread_time() - began[0], about["generation"]))

        asyncio.events.Handle._run = timed  # type: ignore[method-assign, assignment]  # where every step of a loop passes
        os.fsync = counted
        gc.callbacks.append(collected)


def _name(handle: asyncio.Handle) -> str:
    """Whose step it is; no `repr`, which changes what some of them keep."""
    callback: Any = handle._callback  # type: ignore[attr-defined]  # there is no other way to it
    task = getattr(callback, "__self__", None)
    if isinstance(task, asyncio.Task):
        return f"{task.get_name().split()[0].rstrip('-0123456789')} {getattr(task.get_coro(), '__qualname__', '')}"
    return str(getattr(callback, "__qualname__", type(callback).__name__))


def counted(report: Path) -> int:
    """Run the bot with the counters in it: it counts from SIGUSR1 on, and writes at SIGUSR2."""
    steps = Steps(report)
    steps.watch()
    signal.signal(signal.SIGUSR1, steps.reset)
    signal.signal(signal.SIGUSR2, steps.write)
    from bot.__main__ import main as triage

    return triage()


async def _fed(rate: int, count: int) -> str:
    with tempfile.TemporaryDirectory(prefix="steps-") as place:
        report, config, home = Path(place) / "report", Path(place) / "triage.yml", Path(place) / "home"
        config.write_text(SETTINGS.format(root=ROOT))
        tokens = {"SLACK_BOT_TOKEN": "xoxb-feed", "SLACK_APP_TOKEN": "xapp-feed", "SLACK_API_URL": "{url}/api/"}
        command = ("-m", "measure.steps", "run", "--config", str(config), "--home", str(home))
        async with app_of(DATA / STREAM, home, *command, STEPS_REPORT=str(report), **tokens) as bot:
            await asyncio.sleep(SETTLED)
            await bot.feed(rate=rate, count=rate)
            bot.signal(signal.SIGUSR1)
            await bot.feed(rate=rate, count=count)
            bot.signal(signal.SIGUSR2)
            while not report.exists() or not report.read_text().endswith("\n"):  # noqa: ASYNC110  # a file of another process
                await asyncio.sleep(0.1)
            return report.read_text()


def main() -> None:
    """Be the bot, or feed one and print."""
    if report := os.environ.pop("STEPS_REPORT", ""):
        sys.exit(counted(Path(report)))
    rate, count = [*map(int, sys.argv[1:]), *(100, 1_000)[len(sys.argv) - 1 :]]
    print(asyncio.run(_fed(rate, count)), end="")  # noqa: T201  # the output


if __name__ == "__main__":
    main()
