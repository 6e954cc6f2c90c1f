"""What the bot costs while it works, against a bare Bolt app with the same synced journal: acks, throughput, CPU.

A channel's messages of many kinds and authors come at fixed rates and in a closed loop from processes apart
(`measure/feeder`); beside each run somebody appends to a file and syncs it. The bot searches this project meanwhile,
and stands still while the bare app has its turn. `--stream FILE`: JSON lines with `author` and `text`; `--count N`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import signal
import statistics
import sys
import tempfile
import time
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.decide.classify.classifier import compile_rules
from bot.decide.classify.known_contexts import KnownContexts
from measure.feeder import stream
from measure.labelled import DATA, STREAM, as_message
from measure.reliability_bench import p99, syncing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.models.message import Message

ROOT = Path(__file__).resolve().parent.parent
RATES = (100, 200, 500)
BARS = {100: 20.0, 200: 40.0, 500: 40.0}
"""Milliseconds of an ack at p99, beyond a bare synced append at the same time."""
OUTSTANDING = 100
SETTLED = 10
"""Seconds after which what a bot does at its start is done."""
SETTINGS = """
watched_chats: [{{chat_id: C0HELP, name: general, mode: live}}]
operators: [U0OPS]
projects: {{triage: {{root: {root}, description: A bot for Slack.}}}}
"""

Figures = dict[str, tuple[float, float, str]]
"""A value, its bar and its unit."""


class App:
    """A bot, or a bare Bolt app, at the other end of a feeder; both are processes of their own."""

    def __init__(self, feeder: asyncio.subprocess.Process, process: asyncio.subprocess.Process, home: Path) -> None:
        self._feeder, self._process, self.home = feeder, process, home

    async def feed(self, **order: Any) -> dict[str, Any]:
        """Have events sent; the answer is the feeder's."""
        assert self._feeder.stdin is not None  # noqa: S101  # it was asked for
        assert self._feeder.stdout is not None  # noqa: S101  # the same
        self._feeder.stdin.write(json.dumps(order).encode() + b"\n")
        answer: dict[str, Any] = json.loads(await self._feeder.stdout.readline())
        return answer

    async def wait_for(self, beginning: str) -> None:
        """Wait for a line of the app that begins so. Raises `SystemExit` if it ends before."""
        said = self._process.stdout
        while said and (line := await said.readline()):
            if line.decode(errors="replace").startswith(beginning):
                return
        raise SystemExit(f"the app ended before it said: {beginning}")

    def cpu(self) -> float:
        """Seconds of CPU that the app itself has taken, without its children."""
        return _cpu_seconds(self._process.pid)

    def resident(self) -> float:
        """MB of memory that the app itself has."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def children(self) -> float:
        """Seconds of CPU that its children have taken, living or ended."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        ended = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
        living = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        return ended + sum(_cpu_seconds(int(pid)) for pid in living)

    def signal(self, number: int) -> None:
        """Send the app a signal."""
        self._process.send_signal(number)

    def halt(self, *, on: bool) -> None:
        """Stop the app and its children where they are, or let them go on: what is measured beside has the machine."""
        os.killpg(self._process.pid, signal.SIGSTOP if on else signal.SIGCONT)


@asynccontextmanager
async def app_of(
    stream: Path, home: Path, *command: str, code: Path | str = ROOT, **variables: str
) -> AsyncIterator[App]:
    """Start a feeder and an app beside it, whose modules are those in `code`; `{url}` in the command is the feeder's
    address."""
    feeder = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "measure.feeder", str(stream)),
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 26,
    )
    assert feeder.stdout is not None  # noqa: S101  # it was asked for
    url = (await feeder.stdout.readline()).decode().strip()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *(part.format(url=url) for part in command)),
        cwd=code,
        env={**os.environ, **{name: value.format(url=url) for name, value in variables.items()}},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.stdout is not None  # noqa: S101  # the same
    try:
        await process.stdout.readline()
        yield App(feeder, process, home)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            feeder.kill()
        await asyncio.gather(process.communicate(), feeder.communicate())


async def measured(messages: Path, count: int) -> AsyncIterator[Figures]:
    """Every figure, some at a time; the bare app and the bot take turns."""
    with tempfile.TemporaryDirectory(prefix="load-") as place:
        async with _pair(Path(place), messages) as (bare, bot):
            await asyncio.sleep(SETTLED)
            for rate in RATES:
                yield await _acks(bare, bot, rate, count)
                await _worked_off(bot)
            yield await _closed_loop(bare, bot, count)
            yield _shares(bot.home)
    with tempfile.TemporaryDirectory(prefix="load-") as place:
        ambient = Path(place) / "ambient.jsonl"
        ambient.write_text("".join(_ambient(messages)))
        async with _pair(Path(place), ambient) as (bare, bot):
            await asyncio.sleep(SETTLED)
            yield await _ambient_cpu(bare, bot, count)


@asynccontextmanager
async def _pair(place: Path, messages: Path) -> AsyncIterator[tuple[App, App]]:
    """Start a bare app, which keeps a journal as the bot does, and the bot."""
    bare_home, home, config = place / "bare", place / "home", place / "triage.yml"
    bare_home.mkdir()
    config.write_text(SETTINGS.format(root=ROOT))
    tokens = {"SLACK_BOT_TOKEN": "xoxb-feed", "SLACK_APP_TOKEN": "xapp-feed", "SLACK_API_URL": "{url}/api/"}
    bot_command = ("-m", "bot", "run", "--config", str(config), "--home", str(home))
    bare_command = ("-m", "measure.bare_bolt", "{url}/api/", str(bare_home / "events.ndjson"))
    async with (
        app_of(messages, bare_home, *bare_command) as bare,
        app_of(messages, home, *bot_command, **tokens) as bot,
    ):
        yield bare, bot


async def _acks(bare: App, bot: App, rate: int, count: int) -> Figures:
    said: Figures = {}
    for name, app in (("bare", bare), ("bot", bot)):
        bot.halt(on=app is bare)
        await app.feed(rate=rate, count=rate)  # warm
        cpu, children = app.cpu(), app.children()
        with syncing(app.home) as syncs:
            answer = await app.feed(rate=rate, count=max(count, 2 * rate))
        waits = [1000 * wait for wait in answer["waits"]]
        each = 1e6 / len(waits)
        said |= {
            f"{name}, ack at {rate}/s, median": (statistics.median(waits), math.inf, "ms"),
            f"{name}, ack at {rate}/s, p99": (p99(waits), math.inf, "ms"),
            f"{name}, CPU for each event at {rate}/s": (each * (app.cpu() - cpu), math.inf, "µs"),
        }
        if app is bot:
            sync = 1000 * p99(syncs)
            said |= {
                f"{name}, CPU of its searches for each event at {rate}/s": (
                    each * (app.children() - children),
                    math.inf,
                    "µs",
                ),
                f"a bare synced append meanwhile at {rate}/s, p99": (sync, math.inf, "ms"),
                f"bot, ack beyond that at {rate}/s, p99": (max(0.0, p99(waits) - sync), BARS[rate], "ms"),
            }
    return said


async def _closed_loop(bare: App, bot: App, count: int) -> Figures:
    rates: dict[str, list[float]] = {"bare": [], "bot": []}
    all_told: list[float] = []
    for name, app in (("bare", bare), ("bot", bot)) * 2:
        bot.halt(on=app is bare)
        began = time.perf_counter()
        answer = await app.feed(outstanding=OUTSTANDING, count=count)
        rates[name].append(len(answer["waits"]) / answer["took"])
        if app is bot:
            done = await _worked_off(bot)
            all_told.append(len(answer["waits"]) / (done - began))
    means: Figures = {f"{name}, closed loop": (statistics.mean(found), math.inf, "/s") for name, found in rates.items()}
    means["bot, closed loop until all is judged"] = (statistics.mean(all_told), math.inf, "/s")
    return means | {"closed loop, bot to bare": (sum(rates["bot"]) / sum(rates["bare"]), -0.5, "times")}


async def _worked_off(bot: App) -> float:
    """Return when every event is judged that the bot has acknowledged, and then some; when it was, is the answer.

    It judges after its acks: halted with that undone, it would carry one run into the next.
    """
    judged, done, quiet = -1, time.perf_counter(), 0
    while quiet < 10:
        await asyncio.sleep(0.1)
        size = (bot.home / "events-classified.ndjson").stat().st_size
        quiet = quiet + 1 if size == judged else 0
        if size != judged:
            judged, done = size, time.perf_counter()
    return done


def _cpu_seconds(pid: int) -> float:
    """Return the CPU that a living process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _shares(home: Path) -> Figures:
    rows = [json.loads(line) for line in (home / "events-classified.ndjson").read_text().splitlines()]
    actionable = sum(row.get("classification") == "actionable" for row in rows) / len(rows)
    return {"share of the events worth attention": (actionable, math.inf, "")}


def _ambient(messages: Path) -> list[str]:
    """Return the messages that are ambient where they stand among each other, as lines of a stream."""
    rules = compile_rules(bot_id="U0BOT", ack_patterns=(), question_keywords=())
    rows = [{"author": author, "text": text} for author, text in stream(messages)]
    for _ in range(3):  # without the others one may stand in another light
        contexts = KnownContexts()
        said = [(row, contexts.context_of(_message(number, row))) for number, row in enumerate(rows)]
        rows = [row for row, context in said if rules.classify_text(row["text"], context).classification == "ambient"]
    return [json.dumps(row) + "\n" for row in rows]


def _message(number: int, row: dict[str, str]) -> Message:
    return as_message(row | {"ts": f"{datetime.fromtimestamp(1_700_000_000 + number, UTC):%Y-%m-%d %H:%M:%S}"})


async def _ambient_cpu(bare: App, bot: App, count: int) -> Figures:
    spent: dict[str, list[float]] = {"bare": [], "bot": []}
    for name, app in (("bare", bare), ("bot", bot)) * 3:
        bot.halt(on=app is bare)
        await app.feed(rate=200, count=200)
        before = app.cpu()
        await app.feed(rate=500, count=count)
        if app is bot:
            await _worked_off(bot)
        spent[name].append(1e6 * (app.cpu() - before) / count)
    ours, theirs = statistics.median(spent["bot"]), statistics.median(spent["bare"])
    return {
        "CPU for each ambient event, bare Bolt with a journal": (theirs, math.inf, "µs"),
        "CPU for each ambient event": (ours, math.inf, "µs"),
        "CPU for each ambient event, bot to bare": (ours / theirs, 1.5, "times"),
    }


async def _reported(messages: Path, count: int) -> None:
    async for figures in measured(messages, count):
        for name, (value, bar, unit) in figures.items():
            is_met = value <= bar if bar >= 0 else value >= -bar
            verdict = "" if bar == math.inf else f"bar {abs(bar):g} {unit}  {'met' if is_met else 'MISSED'}"
            print(f"{name:60} {value:10.3f} {unit:5} {verdict}".rstrip(), flush=True)  # noqa: T201  # the output


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stream", type=Path, default=DATA / STREAM, metavar="FILE")
    parser.add_argument("--count", type=int, default=3_000, metavar="N", help="events of each run (default: 3000)")
    options = parser.parse_args()
    asyncio.run(_reported(options.stream, options.count))


if __name__ == "__main__":
    main()
