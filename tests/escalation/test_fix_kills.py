"""Bots that are killed at each of their operations while a fix is drafted: one process, one commit, its cost once."""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

import pytest

from bot.models.fix import FixResult
from tests.adapters.workspace_bench import git
from tests.escalation import fix_stand_in
from tests.escalation.bench import Bench
from tests.escalation.fix_bench import FixBench
from tests.escalation.machine import SECONDS
from tests.kills import Kill, live
from tests.model_server import ModelServer

COMMAND = (sys.executable, "-S", str(Path(fix_stand_in.__file__)))
_COUNT = 90
"""Number of operations of a bot that is not killed."""
_SHORT = (16, 35, 45, 69, 86)
KILLS = [
    number if number in _SHORT else pytest.param(number, marks=pytest.mark.long) for number in range(1, _COUNT + 1)
]


async def play(bench: FixBench, *kills: Kill) -> FixResult:
    """Draft a fix with bots that are killed, and wait for its end with the next one."""
    async with ModelServer([]) as server:
        settings = bench.write_settings(server)
        ends: list[FixResult] = []

        async def work() -> None:
            drafter = await bench.build_drafter(settings, command=COMMAND)
            await drafter.begin()
            ends.append(await drafter.draft(bench.thread, bench.order))

        for kill in kills:
            if not ends:
                await live(work, kill)
        if not ends:
            await asyncio.wait_for(work(), SECONDS)
    return ends[-1]


@pytest.mark.parametrize("number", KILLS)
async def test_a_killed_bot_is_continued(bench: Bench, tmp_path: Path, number: int) -> None:
    """Wherever it ends, the next bot has the same proposal."""
    (tmp_path / "fix").mkdir()
    made, kill = FixBench(tmp_path / "fix", glance_every=0.01), Kill(before=number)
    try:
        result = await play(made, kill)
    finally:
        made.end_processes()
    assert kill.is_dead
    await check_end(made, result)


async def check_end(made: FixBench, result: FixResult) -> None:
    """Assert that there is one commit, by one process, and no money held."""
    assert result.proposal, result.problem
    assert (made.folder.path / "starts").read_text().count("\n") == 1
    assert git(made.tree, "rev-list", "--count", f"{result.proposal.base}..triage/fix-total") == "1"
    assert git(made.tree, "rev-parse", "triage/fix-total") == result.proposal.head
    open_sessions = [each for each in await made.sessions.list_since(made.clock.now().date()) if each.has_process]
    assert (open_sessions, made.ledger.spent) == ([], 0.0)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(80))
async def test_bots_that_are_killed_again_and_again_are_continued(bench: Bench, tmp_path: Path, seed: int) -> None:
    """Each at another of its operations."""
    chance = random.Random(seed)  # seeded chance is what a run is repeated by
    (tmp_path / "fix").mkdir()
    made = FixBench(tmp_path / "fix", glance_every=0.01)
    try:
        result = await play(made, *(Kill(before=chance.randint(1, _COUNT // 2)) for _ in range(chance.randint(2, 4))))
    finally:
        made.end_processes()
    await check_end(made, result)


async def test_these_are_all_kills(bench: Bench, tmp_path: Path) -> None:
    """A bot that is not killed has no more operations than are tried."""
    (tmp_path / "fix").mkdir()
    made, kill = FixBench(tmp_path / "fix", glance_every=0.01), Kill(before=1_000)
    try:
        assert (await play(made, kill)).proposal
    finally:
        made.end_processes()
    assert len(kill.passed) == _COUNT, kill.passed
