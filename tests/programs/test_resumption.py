"""Kills of the bot at every step from the press to the outcome: the program is started once, and its end is told."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from bot.commands.command import CommandAnswer
from bot.isolation import Boundary, in_force
from bot.models.pending_command import Confirmation
from tests.chat.crew import OPERATOR, command
from tests.health.bench import pipe, read
from tests.kills import Kill, live
from tests.programs.bench import Bench, declare


def build(folder: Path) -> Bench:
    """A bot with a program that leaves a line for each start; it is not isolated, so that this can be read."""
    folder.mkdir()
    bench = Bench(folder)
    bench.declare(declare("mark", "sh", "-c", f"echo start >> {folder}/starts; echo done"))
    return bench


def count_starts(bench: Bench) -> int:
    """How often the program was started."""
    path = bench.home / "starts"
    return len(path.read_text().splitlines()) if path.exists() else 0


async def read_confirmation(bench: Bench, confirmation_id: str) -> Confirmation:
    """The confirmation as it is on disk."""
    waiting = await bench.handler.confirmations.find(confirmation_id)
    assert waiting is not None
    return waiting


async def go_on(bench: Bench, answer: CommandAnswer) -> None:
    """The next bot: it recovers the press from the journal, then goes on with what was begun."""
    bench.start()
    handled = {each.get("interaction_id") for each in bench.audit.kept}
    if f"{OPERATOR}-press-{answer.confirmation}" not in handled:
        await bench.press(answer, replayed=True)
    await bench.buttons.begin()
    await bench.buttons.settle()


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """No boundary: the program writes beside its folder."""
    monkeypatch.setattr(in_force, "_boundary", Boundary(problem="off"))


@pytest.mark.parametrize("stride", [5, pytest.param(1, marks=pytest.mark.long)])
async def test_a_press_survives_a_kill_at_every_step(tmp_path: Path, stride: int) -> None:
    """One start, one end in the audit, one outcome, whatever step was the last one before the kill."""
    number, steps = 0, 0
    while number <= steps:
        kill = Kill(before=number or 10_000)
        bench = build(tmp_path / str(number))
        answer = await bench.ask("mark")
        await live(lambda bench=bench, answer=answer: bench.press(answer), kill)  # type: ignore[misc]  # no types here
        if not steps:
            steps = len(kill.passed)
        at = f"before {number}: {kill.passed[-1]}"
        if kill.is_dead:
            await go_on(bench, answer)
        bench.reap()
        assert count_starts(bench) == 1, at
        assert (len(bench.lines("start")), len(bench.lines("end"))) == (1, 1), at
        outcomes = [each for each in bench.audit.kept if each["kind"] == "command" and each["outcome"] != "asked"]
        assert [each["outcome"] for each in outcomes] == ["done"], at
        assert bench.chat.said[-1].startswith("`mark` in `shop` ended with exit code 0"), at
        waiting = await read_confirmation(bench, answer.confirmation or "")
        assert (waiting.state, waiting.given, waiting.buttons) == ("taken", {}, None), at
        number += stride if number else 1
    assert steps > 10


@pytest.mark.parametrize("seed", range(2))
async def test_a_press_survives_several_kills(tmp_path: Path, seed: int) -> None:
    """Bots that die one after another, also while they go on."""
    chance = random.Random(seed)
    bench = build(tmp_path / "home")
    answer = await bench.ask("mark")
    await live(lambda: bench.press(answer), Kill(before=chance.randrange(1, 12)))
    for _ in range(4):
        await live(lambda: go_on(bench, answer), Kill(before=chance.randrange(1, 8)))
    await go_on(bench, answer)
    bench.reap()
    assert count_starts(bench) == 1
    assert (len(bench.lines("start")), len(bench.lines("end"))) == (1, 1)
    assert bench.chat.said[-1].startswith("`mark` in `shop` ended with exit code 0")


@pytest.mark.parametrize("before", [3, 6, 9, 12, 15])
async def test_a_command_of_a_terminal_survives_a_kill(tmp_path: Path, before: int) -> None:
    """The next bot goes on with it, and tells its person in Slack; before anything is on disk, nothing runs."""
    bench = build(tmp_path / "home")
    asker = command(user_id=OPERATOR, via="cli", channel_id=OPERATOR)
    asked = await bench.handler.execute("run_command", {"command": "mark"}, asker)
    kill = Kill(before=before)

    async def give() -> None:
        await bench.handler.execute("run_command", {"command": "mark"}, asker, typed=asked.typed_again)

    await live(give, kill)
    assert kill.is_dead
    bench.start()
    was_begun = bool(await bench.handler.confirmations.find_under_way())
    await bench.buttons.begin()
    await bench.buttons.settle()
    bench.reap()
    ends = ["`mark` in `shop` ended with exit code 0" in said for said in bench.chat.said]
    assert (count_starts(bench), len(bench.lines("end")), ends) == ((1, 1, [True]) if was_begun else (0, 0, []))


async def test_a_bot_that_stops_ends_no_command(tmp_path: Path) -> None:
    """It waits no longer; the next one tells the outcome, also after the fifteen minutes of the buttons."""
    bench = build(tmp_path / "home")
    started, end = pipe(bench.home / "started"), pipe(bench.home / "end")
    bench.declare(
        declare("wait", "sh", "-c", f"echo start | tee -a {bench.home}/starts > {started}; read -r _ < {end}")
    )
    answer = await bench.ask("wait")
    bench.buttons.in_time = 0.01
    pressing = asyncio.ensure_future(bench.press(answer))
    assert await read(started) == "start"
    assert bench.chat.said == ["`run_command` is under way; its outcome follows here."]
    await bench.buttons.stop()
    await pressing
    bench.clock.ahead = 20 * 60
    await bench.buttons.expire()
    assert bench.chat.said == ["`run_command` is under way; its outcome follows here."]
    await asyncio.to_thread(end.write_text, "go\n")
    await go_on(bench, answer)
    bench.reap()
    assert bench.chat.said[-1].startswith("`wait` in `shop` ended with exit code 0")
    assert (count_starts(bench), len(bench.lines("end"))) == (1, 1)
