"""What replicas cost beside the embedded bot, in one run (`make bench-replicas`): acks, drafts, saves, waiting runs.

Two bots answer the same mixed messages of many authors in turns: one on files, one on a PostgreSQL of its own with its
syncs, both with the keyword engine over this project. `--short` is a look of a minute; the figures of the documents
come from the whole, on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from bot.adapters.postgresql.migrations import migrate
from bot.cli.announcements import READY
from measure.labelled import DATA, STREAM
from measure.load_bench import ROOT, App, app_of
from measure.reliability_bench import p99
from measure.replicas.before import SETTINGS, run_both
from measure.replicas.saves import compare_saves
from measure.replicas.waiting import measure_waiting
from tests.postgresql import MISSING, find_binaries, run_cluster
from tests.replicas import STEADY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

RATE = 100
"""Events a second whose acks are compared."""
OPENINGS = Path(__file__).parents[1] / "openings.jsonl"
_DRAFTED = "select count(*) from triage.threads where body like '%\"pending-user\"%'"


@dataclass(frozen=True)
class Figure:
    """One line of the table. `is_least` is true for a bar that the value must reach."""

    name: str
    value: float
    unit: str
    bar: float
    is_least: bool = False

    @property
    def is_met(self) -> bool:
        """Return whether the value keeps its bar."""
        return self.value >= self.bar if self.is_least else self.value <= self.bar

    def __str__(self) -> str:
        bar = f"bar {'at least' if self.is_least else 'at most'} {self.bar:g}"
        return f"{self.name:64} {self.value:9.3f} {self.unit:5} {bar}  {'met' if self.is_met else 'MISSED'}"


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    rounds: int
    seconds: int
    """Of each round of acks."""
    questions: int
    rows: int
    """Threads of the large table."""
    waiting: int
    """Investigations that wait at once."""
    turn: tuple[float, float]
    """Seconds that their model takes for a turn, least and most."""


WHOLE = Size(rounds=5, seconds=20, questions=150, rows=1_000_000, waiting=500, turn=(60, 120))
SHORT = Size(rounds=1, seconds=3, questions=20, rows=20_000, waiting=30, turn=(3, 4))


@dataclass(frozen=True)
class Bot:
    """A bot with the file or the database of its threads."""

    app: App
    address: str | None
    """Database; `None` for files."""

    async def count_drafted(self) -> int:
        """Return the number of questions whose card waits."""
        if self.address is None:
            return await asyncio.to_thread(_count_files, self.app.home / "state")
        async with await psycopg.AsyncConnection.connect(self.address) as connection:
            row = await (await connection.execute(_DRAFTED)).fetchone()
        return int(row[0]) if row else 0


def _count_files(folder: Path) -> int:
    return sum(b'"pending-user"' in path.read_bytes() for path in folder.glob("*.json"))


@asynccontextmanager
async def run_bots(folder: Path, messages: Path, address: str) -> AsyncIterator[tuple[Bot, Bot]]:
    """Start a bot on files, and a replica that leads."""
    tokens = {"SLACK_BOT_TOKEN": "xoxb-feed", "SLACK_APP_TOKEN": "xapp-feed", "SLACK_API_URL": "{url}/api/"}
    commands: list[tuple[str, ...]] = []
    for storage in ("files", "postgresql"):
        config = folder / f"{storage}.yml"
        config.write_text(f"storage: {storage}\n{SETTINGS.format(root=ROOT)}")
        commands.append(("-m", "bot", "run", "--config", str(config), "--home", str(folder / storage)))
    async with (
        app_of(messages, folder / "files", *commands[0], **tokens) as files,
        app_of(messages, folder / "postgresql", *commands[1], **tokens, TRIAGE_DATABASE_URL=address) as shared,
    ):
        await shared.wait_for(READY)
        yield Bot(files, None), Bot(shared, address)


async def compare_acks(bots: tuple[Bot, Bot], size: Size) -> Figure:
    """Compare the acks at `RATE` events a second."""
    waits: tuple[list[float], list[float]] = ([], [])
    for turn in range(size.rounds):
        for found, bot in zip(waits, bots, strict=True):
            await bot.app.feed(rate=RATE, count=RATE)  # warm
            found += (await bot.app.feed(rate=RATE, count=RATE * size.seconds))["waits"]
        _tell(f"acks, round {turn + 1} of {size.rounds}")
    embedded, shared = (1000 * p99(found) for found in waits)
    name = f"ack at {RATE}/s, p99: {shared:.1f} against {embedded:.1f} ms"
    return Figure(name, shared / embedded, "times", 2.0)


async def compare_drafts(bots: tuple[Bot, Bot], size: Size) -> Figure:
    """Compare how many questions get their card in a second."""
    rates: list[float] = []
    for bot in bots:
        before, began = await bot.count_drafted(), time.monotonic()
        await bot.app.feed(outstanding=50, count=size.questions)
        done, last = before, began
        while time.monotonic() - last < 15:  # a merged or muted question gets none
            await asyncio.sleep(0.2)
            if (now := await bot.count_drafted()) > done:
                done, last = now, time.monotonic()
        rates.append((done - before) / (last - began))
        _tell(f"{done - before} of {size.questions} questions have a card")
    embedded, shared = rates
    name = f"questions with a card: {shared:.2f} against {embedded:.2f} a second"
    return Figure(name, shared / embedded if embedded else 0.0, "times", 0.7, is_least=True)


def write_questions(path: Path, count: int) -> None:
    """Write a stream of questions, each by an author of its own."""
    rows = [json.loads(line) for line in OPENINGS.read_text(encoding="utf-8").splitlines()]
    texts = [row["text"] for row in rows if row["label"] == "opening"]
    with path.open("w", encoding="utf-8") as stream:
        for number in range(count):
            text = f"where is `{texts[number % len(texts)].split()[0].lower()}` read? {texts[number % len(texts)]}"
            stream.write(json.dumps({"author": f"author {number}", "text": text}) + "\n")


async def measure(size: Size) -> AsyncIterator[Figure]:
    """Yield every figure, with both kinds of bots in the same run."""
    binaries = find_binaries()
    if binaries is None:
        raise SystemExit(MISSING)
    with tempfile.TemporaryDirectory(prefix="replicas-") as name, run_cluster(binaries, STEADY) as cluster:
        folder, address = Path(name), cluster.local_address("postgres")
        await migrate(address, really=True)
        stream = DATA / STREAM
        async with run_bots(folder, stream, address) as bots:
            await asyncio.sleep(5)  # what a bot does at its start is done
            yield await compare_acks(bots, size)
        cluster.run("create database questions")
        address = cluster.local_address("questions")
        await migrate(address, really=True)
        questions = folder / "questions.jsonl"
        write_questions(questions, size.questions)
        (folder / "second").mkdir()
        async with run_bots(folder / "second", questions, address) as bots:
            await asyncio.sleep(5)
            yield await compare_drafts(bots, size)
        cluster.run("create database saves")
        address = cluster.local_address("saves")
        await migrate(address, really=True)
        few, many = await compare_saves(address, size.rows, _tell)
        yield Figure(
            f"load and save with {size.rows:,} threads: {1000 * many:.2f} against {1000 * few:.2f} ms with 1,000",
            many / few,
            "times",
            1.3,
        )
    found = await measure_waiting(size.waiting, least=size.turn[0], most=size.turn[1])
    yield Figure(f"memory of each of {size.waiting} waiting investigations", found.megabytes, "MB", 1.0)
    yield Figure("event loop late meanwhile, p99.9", found.late_ms, "ms", 50.0)


async def compare_with(revision: str, size: Size) -> AsyncIterator[Figure]:
    """Yield what the embedded bot costs beside that of an earlier revision."""
    async with run_both(revision, DATA / STREAM) as apps:
        await asyncio.sleep(10)  # what a bot does at its start is done
        before, now = (app.cpu() for app in apps)
        yield Figure(f"CPU of the start: {now:.2f} against {before:.2f} s", now / before, "times", 1.1)
        before, now = (app.resident() for app in apps)
        yield Figure(f"memory after the start: {now:.0f} against {before:.0f} MB", now / before, "times", 1.1)
        former, present = bots = (Bot(apps[0], None), Bot(apps[1], None))
        yield await compare_acks(bots, size)
        before, now = (bot.app.cpu() for bot in (former, present))
        yield Figure(f"CPU after all acks: {now:.1f} against {before:.1f} s", now / before, "times", 1.1)
        before, now = (app.resident() for app in apps)
        yield Figure(f"memory after all acks: {now:.0f} against {before:.0f} MB", now / before, "times", 1.1)
    with tempfile.TemporaryDirectory(prefix="before-") as name:
        questions = Path(name) / "questions.jsonl"
        write_questions(questions, size.questions)
        async with run_both(revision, questions) as apps:
            await asyncio.sleep(5)
            yield await compare_drafts((Bot(apps[0], None), Bot(apps[1], None)), size)


async def _report(figures: AsyncIterator[Figure]) -> int:
    missed = 0
    async for figure in figures:
        print(figure, flush=True)  # noqa: T201  # the output
        missed += not figure.is_met
    return missed


def _tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)  # noqa: T201  # progress


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return 0 also when a bar is missed: the table says so."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a look of a minute")
    parser.add_argument("--against", metavar="REVISION", help="the embedded bot alone, beside that of this revision")
    options = parser.parse_args(arguments)
    size = SHORT if options.short else WHOLE
    figures = compare_with(options.against, size) if options.against else measure(size)
    load = statistics.mean(os.getloadavg())
    missed = asyncio.run(_report(figures))
    _tell(f"{missed} missed; load before {load:.1f}, after {statistics.mean(os.getloadavg()):.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
