"""Money of processes: the caps of a run and of the day hold over bot and processes, whatever is killed when."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.agents.ledger import Ledger
from bot.config.settings import Settings
from bot.errors import OverCap, RetryLater
from bot.escalation.folder import RunFolder
from bot.escalation.money import LEAST_SHARE, ProcessMoney
from bot.models.escalation import EscalationTask, HeadlessReturn
from bot.models.session import Session
from tests.builders import T0
from tests.escalation.builders import FIRST, returned, session, task
from tests.fakes import HandClock, MemoryKept, MemorySessions, RoundPrices, ignore

CAP, DAY = 1.0, 4.0


class Killed(BaseException):
    """The end of a bot in the middle of its work."""


@dataclass
class Account:
    """A bot's money: the disk outlives the bot."""

    home: Path
    settings: Settings = field(default_factory=lambda: Settings.model_validate({"model": {"max_usd_per_run": CAP}}))
    disk: MemorySessions = field(default_factory=MemorySessions)
    clock: HandClock = field(default_factory=HandClock)

    async def start(self) -> Account:
        """Begin a bot's life."""
        self.ledger = Ledger(
            sessions=self.disk,
            allowance_file=MemoryKept(),
            prices=RoundPrices(),
            clock=self.clock,
            usd_per_day=DAY,
            tell=ignore,
        )
        await self.ledger.start()
        self.money = ProcessMoney(ledger=self.ledger, sessions=self.disk, settings=self.settings, clock=self.clock)
        return self

    def folder(self, held: EscalationTask) -> RunFolder:
        """The folder of a run with its task in it."""
        folder = RunFolder(self.home / held.session_id)
        if not folder.task.exists():
            folder.save_child(held)
            folder.promote()
        return folder


def begun(folder: RunFolder) -> RunFolder:
    """The folder of a run whose process has ended somehow."""
    folder.lock.write_text("1")
    return folder


def spent(folder: RunFolder, usd: float, **changes: Any) -> None:
    """Have its process save its account."""
    folder.write(folder.session, session(cost_usd=usd, num_turns=3, **changes).model_dump(mode="json"))


def begin(folder: RunFolder) -> None:
    """Have a process end without a word."""
    begun(folder)


def break_account(folder: RunFolder) -> None:
    """Have its account cut off."""
    begun(folder).session.write_text("{")


async def test_a_run_holds_its_whole_cap_before_it_starts(tmp_path: Path) -> None:
    """Scenario of cost: the day has that much less, also for a bot that starts later."""
    account = await Account(tmp_path).start()
    held = await account.money.hold(task(usd=0.0))
    assert (held.usd, account.ledger.spent) == (CAP, CAP)
    assert account.disk.kept[FIRST].has_process
    later = await Account(tmp_path, disk=account.disk).start()
    assert (later.ledger.spent, account.disk.kept[FIRST].outcome) == (CAP, "running")


async def test_a_repeated_hold_counts_once(tmp_path: Path) -> None:
    """As after a crash between the hold and the start."""
    account = await Account(tmp_path).start()
    await account.money.hold(task())
    await account.money.hold(task())
    assert account.ledger.spent == CAP


async def test_a_run_gets_what_the_day_has_left_or_is_not_started(tmp_path: Path) -> None:
    """Below a fifth of its cap it would end before it has found anything."""
    account = await Account(tmp_path).start()
    for number in range(3):
        await account.money.hold(task(session_id=f"20260105T090000-run{number}"))
    account.ledger._today.usd = 0.5
    assert (await account.money.hold(task())).usd == pytest.approx(0.5)
    account.ledger._today.usd = 0.5 + 1e-6
    with pytest.raises(OverCap, match=r"a run needs \$0.20"):
        await account.money.hold(task(session_id="20260105T090000-last"))


async def test_the_record_of_the_bot_follows_the_process_and_keeps_what_is_held(tmp_path: Path) -> None:
    """Turns and cost are those of the process; together with the rest the whole cap stays held."""
    account = await Account(tmp_path).start()
    held = await account.money.hold(task())
    folder = begun(account.folder(held))
    spent(folder, 0.3, held_usd=0.1)
    own = await account.money.mirror(folder, held)
    record = account.disk.kept[FIRST]
    assert own is not None
    assert (record.num_turns, record.cost_usd, record.spent_usd) == (3, 0.3, CAP)
    saves = len(account.disk.saves)
    await account.money.mirror(folder, held)
    assert (len(account.disk.saves), account.ledger.spent) == (saves, CAP)  # nothing new, nothing written


ENDS: dict[str, tuple[Callable[[RunFolder], None], HeadlessReturn, float]] = {
    "its account": (lambda folder: spent(begun(folder), 0.3), returned(), 0.3),
    "its account, with the call under way": (
        lambda folder: spent(begun(folder), 0.3, held_usd=0.2),
        returned(outcome="died", report=None),
        0.5,
    ),
    "no account": (begin, returned(outcome="died", report=None), CAP),
    "an unreadable account": (break_account, returned(), CAP),
    "never begun": (lambda _: None, returned(outcome="failed", report=None), 0.0),
    "the report of a team's program": (lambda folder: spent(begun(folder), 0.9), returned(cost_usd=0.7), 0.7),
    "a report above the cap": (begin, returned(cost_usd=70.0), CAP),
    "a report below nothing": (begin, returned(cost_usd=-3.0), 0.0),
}


@pytest.mark.parametrize("end", ENDS)
async def test_the_cost_of_an_ended_run_is_booked_in_place_of_what_it_held(tmp_path: Path, end: str) -> None:
    """Scenarios "Tier 2 cost recorded independently": its record has its own cost, turns and duration alone."""
    prepare, result, usd = ENDS[end]
    account = await Account(tmp_path).start()
    held = await account.money.hold(task())
    prepare(folder := account.folder(held))
    await account.clock.move(90)
    assert await account.money.settle(folder, held, result)
    record = account.disk.kept[FIRST]
    assert account.ledger.spent == record.spent_usd == pytest.approx(usd)
    assert (record.outcome, record.duration_ms, record.held_usd) == (result.outcome, 90_000, 0.0)
    assert not await account.money.settle(folder, held, result)
    assert account.ledger.spent == pytest.approx(usd)
    figures = account.ledger.runs_of(held.thread_id, T0)
    assert [(each.session_id, each.tier) for each in figures] == [(FIRST, 2)]


async def test_a_command_that_reports_no_cost_has_spent_what_it_held(tmp_path: Path) -> None:
    """Nothing that its program writes makes it cheaper."""
    settings = Settings.model_validate(
        {"tiers": {"2": {"command": ["/usr/bin/env"], "max_usd": 0.4}}, "model": {"max_usd_per_run": CAP}}
    )
    account = await Account(tmp_path, settings=settings).start()
    held = await account.money.hold(task())
    folder = begun(account.folder(held))
    spent(folder, 0.0)
    await account.money.settle(folder, held, returned())
    assert account.ledger.spent == pytest.approx(0.4)
    assert account.disk.kept[FIRST].model == "env"


async def test_a_run_settled_before_a_crash_still_reaches_its_thread(tmp_path: Path) -> None:
    """The cost is booked once, its figures are there for the thread that did not save them."""
    account = await Account(tmp_path).start()
    held = await account.money.hold(task())
    spent(folder := begun(account.folder(held)), 0.3)
    await account.money.settle(folder, held, returned())
    later = await Account(tmp_path, disk=account.disk).start()
    await later.money.settle(folder, held, returned())
    assert later.ledger.spent == pytest.approx(0.3)
    assert len(later.ledger.runs_of(held.thread_id, T0)) == 1


async def test_a_run_over_midnight_is_held_against_the_new_day(tmp_path: Path) -> None:
    """The cap of neither day can be passed by waiting."""
    account = await Account(tmp_path).start()
    await account.money.hold(task())
    await account.clock.move(86_400)
    assert account.ledger.spent == CAP
    later = await Account(tmp_path, disk=account.disk, clock=account.clock).start()
    assert later.ledger.spent == CAP


@dataclass
class Process:
    """A process of a tier: it spends up to what its task allows, and saves its account before each call."""

    folder: RunFolder
    task: EscalationTask
    cost: float = 0.0
    """What the model's server has billed."""
    is_alive: bool = True

    def call(self, chance: random.Random) -> None:
        """Hold the money of a call, make it, save the cost; it may be killed at each step."""
        most = round(min(chance.uniform(0.01, 0.4), self.task.usd - self.cost), 6)
        if most <= 0:
            return
        spent(self.folder, self.cost, session_id=self.task.session_id, held_usd=most)
        if chance.random() < 0.1:
            self.is_alive = False
            return
        self.cost = round(self.cost + most * chance.random(), 6)
        if chance.random() < 0.1:
            self.is_alive = False
            return
        spent(self.folder, self.cost, session_id=self.task.session_id)


class MortalDisk(MemorySessions):
    """Sessions on a disk whose bot may be killed right before or right after a save, or whose save fails."""

    chance: random.Random

    async def save(self, session: Session) -> None:
        """Save, or die."""
        fate = self.chance.random()
        if fate < 0.06:
            raise Killed
        if fate < 0.1:
            raise RetryLater("the disk is full")
        await super().save(session)
        if fate > 0.94:
            raise Killed


@pytest.mark.parametrize("seed", [pytest.param(n, marks=[] if n < 12 else [pytest.mark.long]) for n in range(40)])
async def test_the_caps_hold_whatever_is_killed_when(tmp_path: Path, seed: int) -> None:
    """Bot and processes are killed at random points: no run passes its cap, all together never that of the day.

    At the end the booked sum is that of the model's server, or above it by no more than the calls that were cut off
    and what processes without an account had held.
    """
    chance = random.Random(seed)
    disk = MortalDisk()
    disk.chance = chance
    account = await Account(tmp_path, disk=disk).start()
    processes: dict[str, Process] = {}
    for step in range(120):
        try:
            await one_step(account, processes, chance, step)
        except Killed:
            account = await Account(tmp_path, disk=disk).start()
        billed = sum(process.cost for process in processes.values())
        assert all(process.cost <= CAP + 1e-6 for process in processes.values())
        assert billed <= account.ledger.spent + 1e-6
        assert account.ledger.spent <= DAY + 1e-6
    disk.chance = random.Random(0)
    for process in processes.values():
        process.is_alive = False
    for process in processes.values():
        with suppress(Killed):
            await account.money.settle(process.folder, process.task, returned(outcome="died", report=None))
    disk.chance = random.Random(0)
    later = await Account(tmp_path, disk=MemorySessions(*disk.kept.values())).start()
    for process in processes.values():
        await later.money.settle(process.folder, process.task, returned(outcome="died", report=None))
    recorded = sum(record.spent_usd for record in later.disk.kept.values())
    assert later.ledger.spent == pytest.approx(recorded)
    accounts = [process.folder.read_session() for process in processes.values() if process.folder.was_begun()]
    cut_off = sum(account.held_usd if account else CAP for account in accounts)
    assert billed <= recorded + 1e-6 <= billed + cut_off + 1e-5


async def one_step(account: Account, processes: dict[str, Process], chance: random.Random, step: int) -> None:
    """Start a run, let one work, look at one, or settle one that has ended."""
    alive = [process for process in processes.values() if process.is_alive]
    match chance.choice(("start", "work", "work", "work", "look", "settle")):
        case "start":
            wanted = task(session_id=f"20260105T090000-run{step}")
            folder = account.folder(wanted)
            processes[wanted.session_id] = process = Process(folder, wanted, is_alive=False)
            with suppress(OverCap, RetryLater):
                process.task = await account.money.hold(wanted)
                process.is_alive = begun(folder).was_begun()
        case "work" if alive:
            chance.choice(alive).call(chance)
        case "look" if alive:
            process = chance.choice(alive)
            await account.money.mirror(process.folder, process.task)
        case "settle":
            ended = [process for process in processes.values() if not process.is_alive or chance.random() < 0.1]
            for process in ended[:1]:
                process.is_alive = False
                await account.money.settle(process.folder, process.task, returned())


def test_the_least_sum_is_a_share_of_the_cap() -> None:
    """A tier with a cap of its own needs a fifth of that."""
    assert 0 < LEAST_SHARE < 1
