"""What reliability costs: starts with many threads, transitions, acks and memory; run by `make bench`.

The bot is a process of its own, the workspace stands in this one. Each figure stands beside its bar and is
kept as JSON; `--most N` leaves out the starts with more threads than that.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import statistics
import sys
import tempfile
import threading
import time
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bot.adapters.documents import Documents
from measure.filling import fill
from sandbox.seed import APP_TOKEN, BOT_TOKEN
from tests.line.human import Human
from tests.torture.lane import Lane, lane
from tests.torture.nursery import Nursery, nursery

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from sandbox.delivery import Envelope

ROOT = Path(__file__).resolve().parent.parent
STARTS = {1_000: 1.0, 10_000: 2.0, 100_000: 10.0}
"""Threads on disk, and the seconds within which the first event must be handled."""

OPEN_SHARE = 100
"""One thread in so many is open where nothing else is said."""

RATES = (1, 10, 100, 500)
CHATTER = "deployed v3 to staging"
EVENTS = 3_000
MEMORY = Path("/dev/shm")  # noqa: S108  # a file system in memory, for measuring
KEPT = ROOT / ".cache" / "reliability.json"

Figures = dict[str, tuple[float, float, str]]
"""A value, its bar and its unit."""


async def measured(most: int) -> AsyncIterator[Figures]:
    """Every figure, some at a time."""
    async with nursery() as bots:
        for count, bar in STARTS.items():
            if count <= most:
                yield {f"start to first event, {count:,} threads": (await _start(bots, count), bar, "s")}
        yield await _transitions(bots)
        async for figures in _acks(bots):
            yield figures
        memory = (await _resident(bots, 5_000) - await _resident(bots, 1_000)) / 4
        yield {"memory per 1,000 open threads": (memory, 10.0, "MB")}


@asynccontextmanager
async def _running(made: Lane) -> AsyncIterator[asyncio.subprocess.Process]:
    """`triage run`, as its user starts it; it may not be ready yet."""
    known = {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_APP_TOKEN": APP_TOKEN, "SLACK_API_URL": made.workspace.api_url}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run", "--config", str(made.config), "--home", str(made.home)),
        cwd=ROOT,
        env={**os.environ, **known},
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        await process.communicate()


@asynccontextmanager
async def _ready(made: Lane) -> AsyncIterator[int]:
    """The same once it takes in events; its process id."""
    async with _running(made) as process:
        assert process.stdout is not None  # noqa: S101  # it was asked for
        await process.stdout.readline()
        yield process.pid


async def _start(bots: Nursery, count: int) -> float:
    """Seconds from the start of the process to the judgement of a message that waited for it."""
    async with lane(bots) as made:
        fill(made.home, count, every=OPEN_SHARE)
        await Human(made.workspace.url, "U0ANA").say(CHATTER)
        began = time.perf_counter()
        async with _running(made):
            while not made.records("events-classified.ndjson"):  # noqa: ASYNC110  # a file of another process
                await asyncio.sleep(0.005)
            return time.perf_counter() - began


async def _transitions(bots: Nursery) -> Figures:
    """Medians of 200 saves of one thread among many; the homes take turns, so that the machine's moods hit each."""
    took: dict[int, list[float]] = {10: [], 1_000: [], 10_000: []}
    async with AsyncExitStack() as homes:
        threads = {}
        for count in took:
            made = await homes.enter_async_context(lane(bots))
            fill(made.home, count, every=OPEN_SHARE)
            store = Documents(made.home / "state", stop=None)
            threads[count] = (store, await store.load((await store.thread_ids())[0]))
        for _ in range(200):
            for count, (store, thread) in threads.items():
                assert thread is not None  # noqa: S101  # it was just written
                began = time.perf_counter()
                threads[count] = (store, await store.save(thread))
                took[count].append(time.perf_counter() - began)
    medians = {count: statistics.median(times) for count, times in took.items()}
    worst = max(medians.values()) / min(medians.values())
    said: Figures = {f"transition, {n:,} threads": (m * 1000, math.inf, "ms") for n, m in medians.items()}
    return said | {"transition, slowest to fastest": (worst, 1.3, "times")}


async def _acks(bots: Nursery) -> AsyncIterator[Figures]:
    """How long an event waits for its ack at each rate, sync included.

    Beside it, what a bare sync took on the same disk at the same time, which no ack can beat, and the same acks with
    the home in memory, where a sync costs nothing.
    """
    for where, folder in (("", None), (", home in memory", MEMORY)):
        if folder and not folder.is_dir():
            continue
        async with lane(bots) as made, _home_in(made, folder), _ready(made):
            waits = _listen_for_acks(made)
            for rate in RATES:
                waits.clear()
                with syncing(made.home) as syncs:
                    await _speak(made, rate, count=max(30, min(EVENTS, rate * 10)))
                yield {
                    f"ack at {rate}/s{where}, median": (statistics.median(waits) * 1000, math.inf, "ms"),
                    f"ack at {rate}/s{where}, p99": (p99(waits) * 1000, 20.0, "ms"),
                    f"a bare sync meanwhile{where}, p99": (p99(syncs) * 1000, math.inf, "ms"),
                }


@asynccontextmanager
async def _home_in(made: Lane, folder: Path | None) -> AsyncIterator[None]:
    """Put the lane's home into another folder's file system."""
    if folder is None:
        yield
        return
    with tempfile.TemporaryDirectory(dir=folder) as elsewhere:
        made.home.symlink_to(elsewhere)
        yield


@contextmanager
def syncing(folder: Path) -> Iterator[list[float]]:
    """Write a line and sync it twenty times a second; the list fills with the seconds that each took."""
    took: list[float] = []
    done = threading.Event()

    def probe() -> None:
        file = os.open(folder.resolve() / "probe", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        while not done.wait(0.05):
            began = time.perf_counter()
            os.write(file, b"x" * 1_500)
            os.fsync(file)
            took.append(time.perf_counter() - began)
        os.close(file)

    thread = threading.Thread(target=probe)
    thread.start()
    try:
        yield took
    finally:
        done.set()
        thread.join()


def p99(values: list[float]) -> float:
    """The value that one in a hundred exceeds."""
    return statistics.quantiles(values, n=100)[98]


async def _resident(bots: Nursery, count: int) -> float:
    """Megabytes that a bot takes which has started with so many open threads."""
    async with lane(bots) as made:
        fill(made.home, count, every=1)
        async with _ready(made) as pid:
            status = await asyncio.to_thread(Path(f"/proc/{pid}/status").read_text)
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024


async def _speak(made: Lane, rate: float, *, count: int) -> None:
    """Have people chat at an even rate, and wait until every event is acknowledged."""
    began = time.perf_counter()
    for number in range(count):
        made.workspace.chat(CHATTER)
        await asyncio.sleep(max(0.0, began + (number + 1) / rate - time.perf_counter()))
    while made.workspace.unacknowledged:  # noqa: ASYNC110  # the sandbox has no event for it
        await asyncio.sleep(0.005)


def _listen_for_acks(made: Lane) -> list[float]:
    """The list that each event's wait for its ack goes into, in seconds."""
    waits: list[float] = []

    def acknowledged(envelope: Envelope) -> None:
        waits.append(time.time() - envelope.made_at)

    made.workspace.on_settled(acknowledged)
    return waits


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, default=KEPT, metavar="FILE", help="where the figures are kept")
    parser.add_argument("--most", type=int, default=100_000, metavar="N", help="largest start (default: 100000)")
    options = parser.parse_args()
    figures = asyncio.run(_reported(options.most))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(figures, indent=2))
    print(f"kept in {options.json}")  # noqa: T201  # the output


async def _reported(most: int) -> dict[str, dict[str, object]]:
    """The figures as they are kept; each is said as soon as it is known."""
    said: dict[str, dict[str, object]] = {}
    async for figures in measured(most):
        for name, (value, bar, unit) in figures.items():
            judged = "" if bar == math.inf else f"bar {bar:g} {unit}  {'met' if value <= bar else 'MISSED'}"
            print(f"{name:45} {value:9.3f} {unit:5} {judged}", flush=True)  # noqa: T201  # the output
            said[name] = {"value": value, "bar": None if bar == math.inf else bar, "unit": unit}
    return said


if __name__ == "__main__":
    main()
