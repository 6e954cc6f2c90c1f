"""Runs of approved runbooks: once each, with the checks after them; held ones wait, started ones are waited for."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.commands.inputs import EmptyInput
from bot.commands.state import StateCommands
from bot.errors import RetryLater
from bot.models.effect import Effect, Investigate, RunRunbook
from bot.models.thread import Thread
from bot.models.thread_event import Dismiss, RunRunbookPressed
from bot.triage.controls import Controls
from bot.triage.held_effects import is_held
from bot.triage.runbook_runs import PAUSES, RunbookRuns
from tests.builders import at, moved
from tests.chat.crew import command
from tests.decide.test_workflow import press
from tests.decide.unhealthy import pending, proposed, recovered, result, running
from tests.fakes import HandClock, MemoryKept, MemoryStore, orchestrator, settle
from tests.runbooks import Runbooks

HEALTHY, DOWN = (result(status="healthy"),), (result(),)


class QuickClock(HandClock):
    """A clock on which each wait passes at once."""

    async def sleep(self, seconds: float) -> None:
        """Let the time pass."""
        await self.move(seconds)


def runs(*results: Any, **changes: Any) -> tuple[RunbookRuns, Runbooks, HandClock]:
    """Runs with these results of checks."""
    runbooks, clock = Runbooks(), QuickClock()
    runbooks.results = [*results]
    runbooks.ends |= changes
    return RunbookRuns(runbooks=runbooks, health=runbooks, clock=clock), runbooks, clock


async def test_a_run_is_followed_by_the_checks() -> None:
    """The event has the end and the results."""
    runner, runbooks, _ = runs(HEALTHY, HEALTHY)
    event = await runner.run(running(), "run1")
    assert event
    assert (event.run_id, event.outcome, event.exit_code, event.output) == ("run1", "succeeded", 0, "restarted")
    assert (event.checks, [each.argv for each in runbooks.runs]) == (HEALTHY, [("systemctl", "restart", "payments")])


@pytest.mark.parametrize(
    ("results", "last", "seconds"),
    [
        ([HEALTHY, HEALTHY], HEALTHY, 5),
        ([DOWN, DOWN, DOWN, HEALTHY, HEALTHY], HEALTHY, 40),
        ([DOWN] * (len(PAUSES) + 1), DOWN, 40),
        ([HEALTHY, *[DOWN] * len(PAUSES)], DOWN, 40),
        ([HEALTHY, DOWN, HEALTHY, DOWN, HEALTHY, DOWN], DOWN, 45),
        ([*[DOWN] * len(PAUSES), HEALTHY, HEALTHY], HEALTHY, 45),
    ],
)
async def test_services_are_healthy_after_two_healthy_looks_in_a_row(results: Any, last: Any, seconds: float) -> None:
    """The checks are made again for a while; a service that fails again right after its start has not recovered."""
    runner, runbooks, _ = runs(*results)
    event = await runner.run(running(), "run1")
    assert event
    assert (event.checks, runbooks.results) == (last, [])
    assert event.at == at(seconds)


@pytest.mark.parametrize("found", [(), RetryLater("no")])
async def test_checks_that_cannot_be_made_are_none(found: Any) -> None:
    """As for a group that the settings no longer have."""
    event = await runs(found)[0].run(running(), "run1")
    assert event
    assert (event.outcome, event.checks) == ("succeeded", ())


async def test_a_run_that_did_not_start_is_checked_once() -> None:
    """Nothing has changed by it."""
    event = await runs(DOWN, outcome="not-started", exit_code=None)[0].run(running(), "run1")
    assert event
    assert (event.outcome, event.checks) == ("not-started", DOWN)


async def test_a_failure_of_the_runner_is_an_unknown_end() -> None:
    """It is never tried again."""
    runner, runbooks, _ = runs(HEALTHY, HEALTHY)
    runbooks.fault = ValueError("oops")
    event = await runner.run(running(), "run1")
    assert event
    assert (event.outcome, "ValueError" in event.problem) == ("unknown", True)


async def test_what_the_document_does_not_name_is_not_run() -> None:
    """Another id, or no runbook at all."""
    runner, runbooks, _ = runs()
    assert await runner.run(running(), "other") is None
    assert await runner.run(pending(), "run1") is None
    assert runbooks.runs == []


async def test_a_held_runbook_does_not_start_after_the_recovery() -> None:
    """One that was started is waited for."""
    thread = moved(running(), recovered())
    runner, runbooks, _ = runs(*[HEALTHY] * 4)
    event = await runner.run(thread, "run1")
    assert event
    assert (event.outcome, runbooks.runs) == ("not-started", [])
    runbooks.started.add("run1")
    event = await runner.run(thread, "run1")
    assert event
    assert (event.outcome, len(runbooks.runs)) == ("succeeded", 1)


class _Effects:
    """An effect runner of which some runbooks were started."""

    def __init__(self, *started: str) -> None:
        self._started = started

    async def run(self, thread: Thread, effect: Effect) -> None:
        """Run nothing."""

    def is_started(self, effect: RunRunbook) -> bool:
        """Return whether a runbook was started."""
        return effect.run_id in self._started


def test_a_runbook_is_held_until_it_is_started() -> None:
    """By a pause and by a stop."""
    effects = _Effects("begun")
    for state, held in (("running", False), ("paused", True), ("stopped", True)):
        assert is_held(RunRunbook(run_id="run1"), state, effects) is held  # type: ignore[arg-type]  # a state
        assert not is_held(RunRunbook(run_id="begun"), state, effects)  # type: ignore[arg-type]  # as above
        assert is_held(Investigate(run_id="run1"), state, effects) is held  # type: ignore[arg-type]  # as above


async def test_a_stop_ends_no_runbook_and_a_restart_waits_for_it_again() -> None:
    """Also in a closed thread; the answer to the stop names it, and `release` starts none a second time."""
    store, started, gate = MemoryStore(), [], asyncio.Event()
    thread = running()
    store.saved[thread.thread_id] = moved(thread, press(Dismiss, thread))

    async def run(thread: Thread, effect: Any) -> None:
        started.append(effect)
        await gate.wait()

    threads = orchestrator(store, run=run)
    await threads.start()
    await settle()
    assert started == [RunRunbook(run_id="run1")]
    controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={})
    threads.controls = controls
    commands = StateCommands(controls=controls, orchestrator=threads, clock=HandClock())
    answer = await commands.stop(EmptyInput(), command())
    assert controls.state == "stopped"
    assert "0 runs ended" in answer.line
    assert "Still running, to their end: `restart-payments`." in answer.line
    assert (await threads.halt()).runbooks == (thread.thread_id,)
    threads.waiting.add(thread.thread_id)
    await threads.release()
    await settle()
    assert len(started) == 1
    gate.set()
    await threads.stop()


class Lives:
    """Bots on one home, each killed at an operation: a save, the start of an effect, or the news of its end."""

    def __init__(self) -> None:
        self.store, self.runbooks, self.clock = MemoryStore(), Runbooks(), QuickClock()
        self.runbooks.results = [HEALTHY] * 9
        self.threads: Any = None

    async def begin(self, *, dies_before: str = "") -> None:
        """Begin a bot that dies before one operation: `effect` or `end`."""
        runner = RunbookRuns(runbooks=self.runbooks, health=self.runbooks, clock=self.clock)

        async def run(thread: Thread, effect: Any) -> Any:
            if not isinstance(effect, RunRunbook) or dies_before == "effect":
                return None
            event = await runner.run(thread, effect.run_id)
            return None if dies_before == "end" else event

        self.threads = orchestrator(self.store, run=run)
        await self.threads.start()
        await settle()

    async def end(self) -> None:
        """Kill it."""
        await self.threads.stop()


@pytest.mark.parametrize("is_replayed", [False, True])
@pytest.mark.parametrize("dies_before", ["save", "effect", "end", ""])
async def test_a_press_runs_once_wherever_the_bot_dies(dies_before: str, is_replayed: bool) -> None:
    """Before the save only the press in the journal is left, after it the document; each life may see both."""
    lives = Lives()
    thread = proposed()
    lives.store.saved[thread.thread_id] = thread
    first = press(RunRunbookPressed, thread)
    if dies_before != "save":
        await lives.begin(dies_before=dies_before)
        await lives.threads.submit(thread.thread_id, first)
        await settle()
        await lives.end()
    for _ in range(2):
        await lives.begin()
        if is_replayed or dies_before == "save":
            await lives.threads.submit(thread.thread_id, press(RunRunbookPressed, thread))
        await settle()
        await lives.end()
    after = lives.store.saved[thread.thread_id]
    assert lives.runbooks.started == {lives.runbooks.runs[0].run_id}
    assert after.incident
    assert (after.outcome, [each.state for each in after.incident.remedies]) == ("recovered", ["ended"])
