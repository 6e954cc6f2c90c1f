"""Scheduler of hooks: times, missed times, clock changes, events, cooldowns, failures, and a week of minutes."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.errors import RetryLater
from bot.hooks.file_changes import FileChanges
from bot.models.hook_record import MAX_RUNS, HookCause
from tests.builders import CHANNEL, T0, at, message
from tests.decide.hooks.test_events import opened
from tests.fakes import HandClock, MemoryKept, settle
from tests.hooks.bench import OWNER, Bench, ImpatientClock

HOUR = {"kind": "schedule", "cron": "0 * * * *"}
DEPLOYS = {"kind": "message", "channel": CHANNEL, "pattern": "deploy failed"}


async def test_a_hook_runs_at_its_times(tmp_path: Path) -> None:
    """In the time zone of the settings, and each run creates a task."""
    bench = await Bench(tmp_path).start()
    await bench.add({"kind": "schedule", "cron": "30 10 * * *"})
    assert bench.record().next_at == T0 + timedelta(minutes=30)
    await bench.pass_time(days=2)
    assert bench.titles == ["2026-01-05 10:30", "2026-01-06 10:30"]
    assert [run.cause.at for run in bench.runs()] == [T0 + timedelta(minutes=30), T0 + timedelta(days=1, minutes=30)]
    assert next(description for _, description in bench.actions.tasks.values()) == "Look at it: 2026-01-05 10:30"


async def test_missed_times_run_once(tmp_path: Path) -> None:
    """The bot was down, paused or stopped; the next time after that is a regular one."""
    bench = await Bench(tmp_path).start()
    await bench.add(HOUR)
    await bench.stop()
    bench.clock._now += timedelta(hours=5, minutes=20)
    await bench.start()
    await bench.settle()
    assert bench.titles == ["2026-01-05 11:00"]
    for state in ("paused", "stopped"):
        bench.controls.state = state
        await bench.pass_time(hours=3)
        assert len(bench.titles) == 1 if state == "paused" else 2
        bench.controls.state = "running"
        await bench.settle()
    assert bench.titles == ["2026-01-05 11:00", "2026-01-05 16:00", "2026-01-05 19:00"]
    await bench.pass_time(hours=1)
    assert bench.titles[3:] == ["2026-01-05 22:00"]


async def test_a_process_that_ends_begins_no_run(tmp_path: Path) -> None:
    """The next process makes it up."""
    bench = await Bench(tmp_path).start()
    await bench.add(HOUR)
    bench.scheduler.draining.begin()
    await bench.pass_time(hours=1)
    assert bench.titles == []
    await bench.stop()
    await bench.start()
    await bench.settle()
    assert bench.titles == ["2026-01-05 11:00"]


async def test_later_times_follow_the_zone_of_the_settings(tmp_path: Path) -> None:
    """A start plans them again; one that was missed stays due."""
    bench = await Bench(tmp_path).start()
    await bench.add({"kind": "schedule", "cron": "0 12 * * *"})
    await bench.stop()
    bench.zone = "America/New_York"
    await bench.start()
    assert bench.record().next_at == T0.replace(hour=17)
    await bench.settle()
    await bench.stop()
    bench.clock._now += timedelta(hours=9)
    await bench.start()
    assert bench.record().next_at == T0.replace(hour=17)


async def test_a_clock_that_is_set_back_repeats_no_time(tmp_path: Path) -> None:
    """The hook waits for its next time."""
    bench = await Bench(tmp_path).start()
    await bench.add()
    await bench.pass_time(minutes=3)
    bench.clock.set_back(120)
    await bench.pass_time(minutes=3)
    assert bench.titles == [f"2026-01-05 10:0{minute}" for minute in (1, 2, 3, 4)]


async def test_a_time_within_the_cooldown_is_left_out(tmp_path: Path) -> None:
    """The next one after it counts."""
    bench = await Bench(tmp_path).start()
    await bench.add({"kind": "schedule", "cron": "*/10 * * * *"}, cooldown_min=25)
    await bench.pass_time(hours=1, minutes=5)
    assert [title[-5:] for title in bench.titles] == ["10:10", "10:40"]


SPRING, AUTUMN = datetime(2026, 3, 27, 22, 30, tzinfo=UTC), datetime(2026, 10, 23, 22, 30, tzinfo=UTC)
"""Evenings, of which the second night after has a clock change."""


@pytest.mark.parametrize(
    ("start", "days"),
    [
        (AUTUMN + timedelta(days=1), 1),
        pytest.param(SPRING, 7, marks=pytest.mark.long),
        pytest.param(AUTUMN, 7, marks=pytest.mark.long),
    ],
)
async def test_a_minute_hook_over_a_clock_change(tmp_path: Path, start: datetime, days: int) -> None:
    """Each minute of a week once, with a bounded history and file, although the bot is started anew each day."""
    file = MemoryKept()
    bench = await Bench(tmp_path, file=file, clock=ImpatientClock(start=start)).start()
    await bench.add(command="status")
    await bench.add({"kind": "schedule", "cron": "30 2 * * *"}, name="night")
    times: list[datetime] = []
    largest = 0
    began = time.process_time()
    for _ in range(days):
        for _ in range(24 * 4):
            await bench.pass_time(minutes=15)
            times += [run.cause.at for run in bench.runs()[-15:]]
            largest = max(largest, len(json.dumps(file.said)))
        await bench.restart()
    spent = time.process_time() - began
    assert times == [start + timedelta(minutes=number + 1) for number in range(days * 24 * 60)]
    assert len(bench.actions.commands) == len(bench.notices) == len(times)
    assert {*bench.actions.commands.values()} == {1}
    assert len(bench.runs()) == MAX_RUNS
    assert len(bench.titles) == days
    assert sorted({title[-5:] for title in bench.titles}) in (["02:30"], ["02:30", "03:00"])
    assert largest < 20_000
    assert spent / len(times) < 0.01, "seconds for one run"


async def test_an_opened_merge_request_begins_a_run_once(tmp_path: Path) -> None:
    """However late it is reported again; its title is quoted as untrusted text."""
    bench = await Bench(tmp_path).start()
    await bench.add({"kind": "merge_request", "project": "team/shop"}, prompt="Review: {{event}}", cooldown_min=1)
    for minutes in (1, 3_000):
        bench.clock._now += timedelta(minutes=minutes)
        bench.scheduler.events.note_merge_request(opened(opened_at=at(30)))
        bench.scheduler.events.note_merge_request(opened(project="team/web", opened_at=bench.clock.now()))
        await bench.settle()
        await bench.restart()
    ((_, description),) = bench.actions.tasks.values()
    assert "Untrusted text (event, merge request):\n> Pull request 12 of team/shop, opened by ana" in description


async def test_a_merge_request_of_a_clock_that_is_ahead_begins_a_run_once(tmp_path: Path) -> None:
    """Its time stays later than the run that it began; its id is on disk."""
    bench = await Bench(tmp_path).start()
    await bench.add({"kind": "merge_request"}, prompt="Review: {{event}}", cooldown_min=1)
    for number in (12, 12, 12, 13, 12):
        bench.clock._now += timedelta(minutes=2)
        bench.scheduler.events.note_merge_request(opened(number=number, opened_at=at(90_000)))
        await bench.settle()
        await bench.restart()
    assert len(bench.actions.tasks) == 2


async def test_an_event_begins_a_run_once(tmp_path: Path) -> None:
    """The same message, delivered again after a crash, begins none; one within the cooldown neither."""
    bench = await Bench(tmp_path).start()
    await bench.add(DEPLOYS, prompt="Why? {{event}}", cooldown_min=5)
    bench.clock._now += timedelta(minutes=1)
    events = bench.scheduler.events
    first = message("The DEPLOY has failed", create_time=at(30))
    events.note_message(first)
    events.note_message(message("deploy went well", create_time=at(31)))
    await bench.settle()
    events.note_message(first)
    events.note_message(message("deploy failed again", create_time=at(59)))
    await bench.settle()
    await bench.restart()
    bench.scheduler.events.note_message(first)
    await bench.settle()
    assert len(bench.titles) == 1
    ((_, description),) = bench.actions.tasks.values()
    assert description == (
        "Why? Untrusted text (event, message):\n> Message of U0ANA in #help-platform:\n> The DEPLOY has failed"
    )
    bench.clock._now += timedelta(minutes=10)
    bench.scheduler.events.note_message(message("deploy failed", message_id="1700000600.000001", create_time=at(600)))
    await bench.settle()
    assert len(bench.titles) == 2


@pytest.mark.parametrize(
    ("changes", "mode", "state"),
    [
        ({"sender": {"id": "U0TRIAGE", "type": "bot"}}, "live", "running"),
        ({"chat_id": "C0OTHER"}, "live", "running"),
        ({}, "silent", "running"),
        ({}, "live", "paused"),
    ],
)
async def test_messages_that_begin_nothing(tmp_path: Path, changes: dict[str, Any], mode: Any, state: Any) -> None:
    """Those of Triage itself, of other and of silent channels, and any while it is paused."""
    bench = await Bench(tmp_path).start()
    await bench.add(DEPLOYS, cooldown_min=1)
    bench.clock._now += timedelta(minutes=1)
    bench.controls.modes[CHANNEL], bench.controls.state = mode, state
    bench.scheduler.events.note_message(message("deploy failed", create_time=at(30)).evolve(**changes))
    bench.controls.state = "running"
    await bench.settle()
    assert bench.runs() == []


async def test_a_message_from_before_the_hook_begins_nothing(tmp_path: Path) -> None:
    """Such as one that a start reads again."""
    bench = await Bench(tmp_path).start()
    await bench.add(DEPLOYS, cooldown_min=1)
    bench.scheduler.events.note_message(message("deploy failed", create_time=at(-5)))
    await bench.settle()
    assert bench.runs() == []


async def test_a_condition_ends_a_run_without_its_action(tmp_path: Path) -> None:
    """Nothing changed since the last run that acted; after a failure what has changed still counts."""
    bench = await Bench(tmp_path).start()
    steps = [{"verb": "fetch", "argument": "status"}]
    await bench.add(steps=steps, skip_if={"kind": "unchanged"}, prompt="{{output}}")
    await bench.pass_time(minutes=3)
    bench.pages.text = "down"
    bench.actions.refusal = "no"
    await bench.pass_time(minutes=1)
    bench.actions.refusal = ""
    await bench.pass_time(minutes=2)
    assert bench.outcomes() == ["created", "skipped", "failed", "created", "skipped"]
    assert [run.repeats for run in bench.runs()] == [1, 2, 1, 1, 1]
    assert "down" in [description for _, description in bench.actions.tasks.values()][-1]


async def test_three_failures_disable_a_hook_and_its_owner_is_told_once(tmp_path: Path) -> None:
    """In a direct message, with the last reason and the way back."""
    bench = await Bench(tmp_path).start()
    await bench.add(steps=[{"verb": "fetch", "argument": "status"}])
    bench.pages.fail = True
    await bench.pass_time(minutes=10)
    assert bench.outcomes() == ["failed"] * 3
    assert (bench.record().hook.is_enabled, bench.record().next_at) == (False, None)
    ((channel, text),) = bench.notices
    assert channel == f"D{OWNER}"
    assert "disabled after 3 failures in a row" in text
    assert "answered 503" in text
    assert "`/triage edit_hook h enabled yes`" in text
    await bench.restart()
    await bench.settle()
    assert len(bench.notices) == 1


async def test_an_owner_who_cannot_be_reached_is_replaced_by_an_admin(tmp_path: Path) -> None:
    """So that a disabled hook is never silent."""
    for refuse in ("guests", "refused"):
        bench = await Bench(tmp_path / refuse).start()
        if refuse == "guests":
            bench.town.guests.add(OWNER)
        else:
            bench.slack.refused[OWNER] = "cannot_dm_bot"
        await bench.add(command="status")
        await bench.pass_time(minutes=1)
        assert bench.notices == [("DU0OPS", "The answer of status.")]


async def test_a_fired_hook_ignores_its_cooldown_and_runs_once_for_each_call(tmp_path: Path) -> None:
    """Also a disabled one; while a run is open there is no other."""
    bench = await Bench(tmp_path).start()
    await bench.add(DEPLOYS, cooldown_min=60, is_enabled=False, prompt="{{event}}")
    for call in ("a", "a", "b"):
        assert await bench.scheduler.fire("h", "U0OPS", call)
        await bench.settle()
    assert [(run.run_id, run.cause.by, run.outcome) for run in bench.runs()] == [
        ("a", "U0OPS", "created"),
        ("b", "U0OPS", "created"),
    ]
    assert bench.actions.tasks["a"][1] == "Nothing: a person fired the hook."
    assert await bench.scheduler.fire("h", "U0OPS", "c")
    assert await bench.scheduler.fire("h", "U0OPS", "d") is None
    await bench.settle()
    assert await bench.scheduler.fire("none", "U0OPS", "e") is None


async def test_nothing_begins_that_cannot_be_saved(tmp_path: Path) -> None:
    """A due time is on disk before its work; the event and the time wait for the next look."""

    class Broken(MemoryKept):
        is_full = False

        async def write(self, content: dict[str, Any]) -> None:
            if self.is_full:
                raise RetryLater("no space left on device")
            await super().write(content)

    file = Broken()
    bench = await Bench(tmp_path, file=file).start()
    await bench.add()
    await bench.add(DEPLOYS, name="m", cooldown_min=1)
    bench.clock._now += timedelta(minutes=1)
    bench.scheduler.events.note_message(message("deploy failed", create_time=at(30)))
    file.is_full = True
    with pytest.raises(RetryLater):
        await bench.scheduler.look()
    with pytest.raises(RetryLater):
        await bench.scheduler.fire("h", "U0OPS", "f")
    await settle()
    assert (bench.titles, bench.runs("h"), bench.runs("m")) == ([], [], [])
    file.is_full = False
    await bench.settle()
    assert (bench.outcomes("h"), bench.outcomes("m")) == (["created"], ["created"])


async def test_a_broken_trigger_holds_up_nothing_else(tmp_path: Path) -> None:
    """Neither other hooks, nor the teller of an event that it cannot read."""
    bench = await Bench(tmp_path).start()
    await bench.add()
    await bench.add({"kind": "file", "pattern": "a"}, name="f", project="shop", cooldown_min=1)
    await bench.add(DEPLOYS, name="m", cooldown_min=1)

    async def fail(*_: Any) -> Any:
        raise OSError("a fault")

    bench.scheduler.files = FileChanges(projects=bench.scheduler.runner.context.projects)
    object.__setattr__(bench.scheduler.files, "find", fail)
    bench.clock._now += timedelta(minutes=1)
    broken: Any = None
    bench.scheduler.events.note_service(broken)
    bench.scheduler.events.note_message(message("deploy failed", create_time=at(30)))
    await bench.settle()
    assert (bench.outcomes("h"), bench.outcomes("f"), bench.outcomes("m")) == (["created"], [], ["created"])


async def test_a_broken_action_is_a_failure(tmp_path: Path) -> None:
    """The log says why, and the hook goes on."""
    bench = await Bench(tmp_path).start()
    await bench.add()
    bench.actions.break_next.append(ValueError("a fault"))
    await bench.pass_time(minutes=2)
    assert next((run.outcome, run.line) for run in bench.runs()) == ("failed", "it failed; the log says why")
    assert bench.outcomes() == ["failed", "created"]


async def test_a_damaged_book_is_set_aside(tmp_path: Path) -> None:
    """An admin is told, and the bot starts."""
    (tmp_path / "hooks.json").write_text('{"h": {"schema_version": 2}}')
    bench = await Bench(tmp_path).start()
    assert bench.scheduler.book.records == ()
    assert "The hooks could not be read" in bench.told[0]
    assert [*(tmp_path / "quarantine").iterdir()]


async def test_the_loop_wakes_for_times_and_events(tmp_path: Path) -> None:
    """Without a look in between; it ends when it is cancelled."""
    bench = await Bench(tmp_path, file=MemoryKept(), clock=HandClock()).start()
    await bench.add(HOUR)
    await bench.add(DEPLOYS, name="m", cooldown_min=1)
    loop = asyncio.ensure_future(bench.scheduler.run())
    await settle()
    for _ in range(2 * 61):
        await bench.clock.move(30)
    await wait_for_outcome(bench, "h", loop)
    assert bench.titles == ["2026-01-05 11:00"]
    bench.scheduler.events.note_message(message("deploy failed", create_time=at(3_650)))
    await wait_for_outcome(bench, "m", loop)
    assert (bench.outcomes("h"), bench.outcomes("m")) == (["created"], ["created"])
    loop.cancel()
    await asyncio.gather(loop, return_exceptions=True)
    await bench.stop()


def test_a_cause_has_bounded_text() -> None:
    """A long event is cut before it is kept."""
    with pytest.raises(ValueError, match="2000"):
        HookCause(kind="message", at=T0, text="x" * 2_001)


async def wait_for_outcome(bench: Bench, name: str, loop: asyncio.Future[None]) -> None:
    """Let threads work until a run of a hook has ended."""
    async with asyncio.timeout(10):
        while bench.outcomes(name) in ([], ["open"]):
            await asyncio.wait([loop], timeout=0.001)
