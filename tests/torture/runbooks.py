"""Runbooks under torture: kills of the bot, of a run's process, of the program and of all, and a failing disk.

One press each. The program writes a line into a file at each start, which is counted from outside; the bot is started
again until it has an end for the thread.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

from bot.models.incident import Remedy
from bot.models.program_run import ProgramResult
from bot.runtime.program_folder import ProgramFolder
from tests.torture.faults import Order, When, written

BOT = (sys.executable, str(Path(__file__).with_name("runbook_bot.py")))
RUN = "run1"
LIVES = 8
"""Bots that are started until one has an end."""
SECONDS = 60.0
WHENS: tuple[When, ...] = ("before", "after")
DISK = {
    "programs.make": ("ENOSPC", "EROFS"),
    "programs.open": ("ENOSPC", "EROFS"),
    "programs.write": ("ENOSPC", "EIO"),
    "programs.mark": ("ENOSPC", "EROFS"),
    "programs.rename": ("EROFS", "EIO"),
    "programs.sync_folder": ("EIO",),
    "journal.write": ("ENOSPC",),
}


@dataclass
class Scenario:
    """One run: faults of the bots and processes in the order of their starts, and kills at points of time."""

    name: str
    bots: list[list[Order]] = field(default_factory=list)
    processes: list[list[Order]] = field(default_factory=list)
    kills: list[tuple[float, str]] = field(default_factory=list)
    """Seconds after the start of a bot, and who dies: `bot`, `process`, `program` or `all`; one for each bot."""
    removes_folder: bool = False
    """True if the folder is removed by hand before the second bot."""

    @property
    def must_succeed(self) -> bool:
        """Whether nothing but the bot dies: its successor has to learn that the program succeeded."""
        only_kills = all(order.act == "kill" for orders in self.bots for order in orders)
        return only_kills and not (self.processes or self.kills or self.removes_folder)


@dataclass
class Outcome:
    """What a run came to."""

    end: ProgramResult | None
    starts: int
    lines: Counter[str]
    """Lines of the audit log, by action."""
    must_succeed: bool = False

    @property
    def faults(self) -> list[str]:
        """What must not be."""
        found = []
        if self.starts > 1:
            found.append(f"twice: started {self.starts} times")
        if self.end is None:
            return [*found, "lost: no end"]
        if self.must_succeed and (self.end.outcome, self.lines["end"]) != ("succeeded", 1):
            found.append(f"lost: {self.end.outcome}, {self.lines['end']} ends in the audit log")
        if self.end.outcome == "not-started" and self.starts:
            found.append("lost: said not to have started")
        if self.end.outcome in ("succeeded", "failed", "timed-out") and not self.starts:
            found.append(f"{self.end.outcome}, and never started")
        if self.starts and not self.lines["start"]:
            found.append("a start that the audit log does not have")
        if self.lines["start"] > 1:
            found.append(f"twice: {self.lines['start']} starts in the audit log")
        return found


async def play(scenario: Scenario) -> Outcome:
    """Press once, and start bots until one has an end."""
    with _lane() as lane:
        for who, orders in (("bot", scenario.bots), ("process", scenario.processes)):
            for number, each in enumerate(orders, 1):
                (lane / f"{who}-{number}.json").write_text(written(each))
        folder = ProgramFolder(lane / "home" / "runbooks" / RUN)
        for life in range(LIVES):
            bot = await asyncio.create_subprocess_exec(*BOT, str(lane), stderr=asyncio.subprocess.DEVNULL)
            killing = asyncio.create_task(_kill(scenario.kills[life : life + 1], bot.pid, folder, lane))
            try:
                await asyncio.wait_for(bot.wait(), SECONDS)
            finally:
                killing.cancel()
                with suppress(ProcessLookupError):
                    bot.kill()
            if (lane / "end.json").exists():
                break
            if scenario.removes_folder:
                shutil.rmtree(folder.path.parent, ignore_errors=True)
        return replace(_read(lane), must_succeed=scenario.must_succeed)


async def list_passages() -> dict[str, list[str]]:
    """Every operation of an undisturbed run, of the bot and of its process, in order."""
    with tempfile.TemporaryDirectory() as place:
        listings = {who: Path(place) / who for who in ("bot", "process")}
        bot, process = ([[Order("list", into=str(path))]] for path in listings.values())
        outcome = await play(Scenario("undisturbed", bots=bot, processes=process))
        assert not outcome.faults, outcome
        return {who: path.read_text().splitlines() for who, path in listings.items()}


def list_scenarios(passages: dict[str, list[str]], seed: int, kills: int) -> Iterator[Scenario]:
    """Every kill at each operation, of one and of both; failing disks; and so many kills at random."""
    for who, listed in passages.items():
        for order, when in product(_number(listed), WHENS):
            kill = [Order("kill", at=order.at, nth=order.nth, when=when)]
            name = f"{who} killed {when} {order.at} #{order.nth}"
            yield _fault(name, who, kill)
            yield replace(_fault(name, who, kill), name=f"{name}, and its folder removed", removes_folder=True)
    for (at, errors), nth, who in product(DISK.items(), (1, 2, 3), ("bot", "process")):
        for error in errors:
            order = Order("fail", at=at, nth=nth, times=3, error=error)
            yield _fault(f"{at} {error} #{nth} in the {who}", who, [order])
    for number in range(kills):
        yield _draw(passages, seed + number)


def _fault(name: str, who: str, orders: list[Order]) -> Scenario:
    return Scenario(name, bots=[orders]) if who == "bot" else Scenario(name, processes=[orders])


def _draw(passages: dict[str, list[str]], seed: int) -> Scenario:
    """Up to three bots and three processes that die at random operations, or everything at random times."""
    chance = random.Random(seed)  # seeded chance is what a run is repeated by

    def kills(who: str) -> list[list[Order]]:
        chosen = [chance.choice([*_number(passages[who])]) for _ in range(chance.randint(0, 3))]
        return [[Order("kill", at=one.at, nth=one.nth, when=chance.choice(WHENS))] for one in chosen]

    times = [
        (chance.uniform(0.1, 1.5), chance.choice(("bot", "process", "program", "all")))
        for _ in range(chance.randint(0, 2))
    ]
    return Scenario(f"random {seed}", bots=kills("bot"), processes=kills("process"), kills=times)


def _number(passages: Iterable[str]) -> Iterator[Order]:
    seen: Counter[str] = Counter()
    for at in passages:
        seen[at] += 1
        yield Order("kill", at=at, nth=seen[at])


@contextmanager
def _lane() -> Iterator[Path]:
    lane = Path(tempfile.mkdtemp(prefix="runbook-"))
    (lane / "home").mkdir()
    script = f"echo $$ >> {lane}/starts; sleep 0.4; echo healed"
    now = datetime.now(UTC)
    remedy = Remedy(
        runbook="restart",
        argv=("/bin/sh", "-c", script),
        reason="It helps.",
        tier=1,
        proposed_at=now,
        state="approved",
        decided_by="U0OPS",
        decided_at=now,
        run_id=RUN,
    )
    (lane / "remedy.json").write_text(remedy.model_dump_json())
    try:
        yield lane
    finally:
        shutil.rmtree(lane, ignore_errors=True)


async def _kill(kills: list[tuple[float, str]], bot: int, folder: ProgramFolder, lane: Path) -> None:
    for seconds, who in kills:
        await asyncio.sleep(seconds)
        starts = (lane / "starts").read_text().split() if (lane / "starts").exists() else []
        pids: dict[str, list[int | None]] = {
            "bot": [bot],
            "process": [folder.find_process()],
            "program": [int(pid) for pid in starts],
        }
        for pid in [pid for each in pids.values() for pid in each] if who == "all" else pids[who]:
            with suppress(ProcessLookupError):
                if pid:
                    os.kill(pid, signal.SIGKILL)


def _read(lane: Path) -> Outcome:
    end, starts, audit = lane / "end.json", lane / "starts", lane / "home" / "audit.ndjson"
    records = []
    for line in audit.read_text().splitlines() if audit.exists() else ():
        with suppress(ValueError):
            records.append(json.loads(line))
    return Outcome(
        end=ProgramResult.model_validate_json(end.read_text()) if end.exists() else None,
        starts=len(starts.read_text().splitlines()) if starts.exists() else 0,
        lines=Counter(str(record["action"]) for record in records),
    )
