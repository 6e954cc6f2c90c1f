"""Kills of the bot at every step of runs: each due time is one task, one answer of a command, one notice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bot.hooks.runner import INTERRUPTED
from tests.builders import CHANNEL, at, message
from tests.hooks.bench import READ_COMMANDS, Bench
from tests.kills import Kill, live

AROUND = ("open", "sync_folder", "call", "answer")
"""Points before and after the book is replaced, and around each call; the others are in between."""
ALL_OR_AROUND = pytest.mark.parametrize(
    "only", [AROUND, pytest.param((), marks=pytest.mark.long)], ids=["around", "all"]
)

CALLS = {"action.call create_task": 3, "action.call command": 4, "slack.call chat.postMessage": 4}
"""Calls of an undisturbed story."""


class Story:
    """Two minutes of hooks on a schedule, and one message."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.end = bench.clock.now()

    async def begin(self) -> None:
        """Create the hooks; they are there before the first kill."""
        steps = [{"verb": "fetch", "argument": "status"}]
        await self.bench.add(name="task", steps=steps, prompt="{{date}} {{time}} {{output}}")
        await self.bench.add(name="skip", steps=steps, skip_if={"kind": "matches", "pattern": "up"})
        await self.bench.add(name="read", command=READ_COMMANDS[0])
        await self.bench.add(name="write", command="append_note Log x")
        trigger = {"kind": "message", "channel": CHANNEL, "pattern": "help"}
        await self.bench.add(trigger, name="event", prompt="{{event}}", cooldown_min=1)
        self.bench.clock._now = at(1)

    async def tell(self) -> None:
        """Let two minutes pass; each start goes through the message again, as through the journal."""
        self.bench.scheduler.events.note_message(message("help me", create_time=at(0.5)))
        left = (at(125) - self.bench.clock.now()).total_seconds()
        await self.bench.pass_time(seconds=left)


@ALL_OR_AROUND
async def test_runs_survive_a_kill_at_every_step(tmp_path: Path, only: tuple[str, ...]) -> None:
    """Whatever step was the last one before the kill, nothing is done twice, and no time is lost."""
    number, steps = 0, 0
    while number <= steps + 1:
        kill = Kill(before=number or 100_000, only=only)
        bench = await Bench(tmp_path / str(number)).start()
        story = Story(bench)
        await story.begin()
        await live(story.tell, kill)
        await bench.stop()
        if kill.is_dead:
            await bench.start()
            await story.tell()
        if not number:
            steps, calls = len(kill.passed), Counter(each for each in kill.passed if ".call " in each)
            assert calls == CALLS  # saves of one moment may be one
        where = f"before {number}: {kill.passed[-1]}"
        check(bench, where)
        await bench.stop()
        number += 3 if only and number else 1  # the steps between are those of the long form


def check(bench: Bench, where: str) -> None:
    """Check what was done in the two minutes."""
    minutes = [f"2026-01-05 10:0{minute}" for minute in (1, 2)]
    titles = Counter(title for title, _ in bench.actions.tasks.values())
    assert titles == {**{f"task, {minute}": 1 for minute in minutes}, "event, 2026-01-05 10:00": 1}, where
    assert [(run.outcome, run.repeats) for run in bench.runs("skip")] == [("skipped", 2)], where
    assert bench.outcomes("task") == ["created"] * 2, where
    assert bench.outcomes("event") == ["created"], where
    assert bench.outcomes("read") == ["executed"] * 2, where
    writes = bench.runs("write")
    assert [run.cause.at for run in writes] == [at(60), at(120)], where
    assert all(run.outcome == "executed" or run.line == INTERRUPTED for run in writes), where
    assert sum(run.outcome != "executed" for run in writes) <= 1, where
    assert all(bench.actions.commands[run.run_id] <= 1 for run in writes), where
    notices = Counter(each["metadata"]["event_payload"]["notice_id"] for each in bench.slack.posted)
    done = [run.run_id for name in ("read", "write") for run in bench.runs(name) if run.outcome == "executed"]
    assert notices == dict.fromkeys(done, 1), where
    assert not bench.scheduler.notices.is_waiting, where


@pytest.mark.parametrize("stride", [3, pytest.param(1, marks=pytest.mark.long)])
async def test_a_disabled_hook_tells_its_owner_once_over_kills(tmp_path: Path, stride: int) -> None:
    """The third failure disables it, and there is one notice."""
    number, steps = 0, 0
    while number <= steps + 1:
        kill = Kill(before=number or 100_000, only=AROUND)
        bench = await Bench(tmp_path / str(number)).start()
        await bench.add(steps=[{"verb": "fetch", "argument": "status"}])
        bench.pages.fail = True

        async def tell(bench: Bench = bench) -> None:
            await bench.pass_time(seconds=(at(300) - bench.clock.now()).total_seconds())

        await live(tell, kill)
        await bench.stop()
        if kill.is_dead:
            await bench.start()
            await tell()
        steps = steps or len(kill.passed)
        where = f"before {number}: {kill.passed[-1]}"
        assert bench.outcomes() == ["failed"] * 3, where
        assert not bench.record().hook.is_enabled, where
        assert len(bench.notices) == 1, where
        await bench.stop()
        number += stride if number else 1
    assert steps > 10
