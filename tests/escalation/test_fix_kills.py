"""Bots that are killed at each of their operations while a fix is drafted: one process, one commit, its cost once."""

from __future__ import annotations

import asyncio
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
_COUNT = 84
"""Number of operations of a bot that is not killed."""
_SHORT = (16, 35, 45, 66, 83)
KILLS = [
    number if number in _SHORT else pytest.param(number, marks=pytest.mark.long) for number in range(1, _COUNT + 1)
]


async def play(bench: FixBench, kill: Kill) -> FixResult:
    """Draft a fix with a bot that is killed, and wait for its end with the next one."""
    async with ModelServer([]) as server:
        settings = bench.write_settings(server)
        ends: list[FixResult] = []

        async def work() -> None:
            drafter = await bench.build_drafter(settings, command=COMMAND)
            await drafter.begin()
            ends.append(await drafter.draft(bench.thread, bench.order))

        await live(work, kill)
        if kill.is_dead:
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
    assert result.proposal, (result.problem, kill.passed)
    assert (made.folder.path / "starts").read_text().count("\n") == 1
    assert git(made.tree, "rev-list", "--count", f"{result.proposal.base}..triage/fix-total") == "1"
    assert git(made.tree, "rev-parse", "triage/fix-total") == result.proposal.head
    open_sessions = [each for each in await made.sessions.list_since(made.clock.now().date()) if each.has_process]
    assert (open_sessions, made.ledger.spent) == ([], 0.0)


async def test_these_are_all_kills(bench: Bench, tmp_path: Path) -> None:
    """A bot that is not killed has no more operations than are tried."""
    (tmp_path / "fix").mkdir()
    made, kill = FixBench(tmp_path / "fix", glance_every=0.01), Kill(before=1_000)
    try:
        assert (await play(made, kill)).proposal
    finally:
        made.end_processes()
    assert len(kill.passed) == _COUNT, kill.passed
