"""Drafts of fixes beside their threads: started once, planned, ended by a stop or a discard, and never twice."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot import isolation
from bot.decide.redaction.redactor import Redactor
from bot.errors import ToolError
from bot.models.effect import DraftFix, Investigate, OpenMergeRequest
from bot.models.fix import FixResult
from bot.models.fix_event import FixDiscarded, FixEnded
from bot.models.thread import Thread
from bot.models.thread_event import Bounce
from bot.triage.controls import HaltResult
from bot.triage.fix_runs import FixRuns
from tests.decide.test_workflow import press
from tests.fakes import HandClock, settle
from tests.fix_bench import FixBench
from tests.fixes import Drafter, drafting, fix_of, opening, pressed, proposal, stopping
from tests.forge_server import ForgeServer
from tests.triage.test_halting import House

SECRET = "-".join(("a-loaded", "secret", "0815"))


def runs(drafter: Drafter | None, *, bench: FixBench | None = None, is_stopped: bool = False) -> FixRuns:
    """The runner of drafts."""
    nowhere: Any = None
    return FixRuns(
        drafter=drafter,
        repositories=bench.repositories if bench else nowhere,  # type: ignore[arg-type]  # it has the one call
        workspaces=bench.bench.build() if bench else nowhere,
        clock=bench.bench.clock if bench else HandClock(),
        is_stopped=lambda: is_stopped,
        redactor=Redactor([SECRET]),
    )


async def ends(work: Any) -> FixEnded:
    """The end of a draft."""
    end = await work
    assert isinstance(end, FixEnded)
    return end


@pytest.fixture
async def bench(tmp_path: Path) -> Any:
    """A repository with its remote."""
    isolation.configure("off")
    async with ForgeServer() as server:
        yield FixBench.at(tmp_path, server)
    isolation.configure("auto")


async def test_a_change_that_passed_comes_with_the_plan_of_its_push(bench: FixBench) -> None:
    """For the commit that it proposes, to the remote as it is now."""
    thread, drafter = drafting(), Drafter()
    base, head = await bench.commit(fix_of(thread).order.slug)
    drafter.result = FixResult(proposal=proposal(thread, base=base, head=head, title=f"Hide {SECRET}"))
    drafter.ends.set()
    end = await ends(runs(drafter, bench=bench).draft(thread, fix_of(thread).order.run_id))
    assert end.plan is not None
    assert (end.plan.sha, end.plan.remote, end.plan.remote_sha) == (head, str(bench.remote), "")
    assert end.result.proposal is not None
    assert SECRET not in end.result.proposal.title


async def test_a_change_that_cannot_be_pushed_as_it_was_checked_fails(bench: FixBench) -> None:
    """Its branch has another commit by now."""
    thread, drafter = drafting(), Drafter()
    base, head = await bench.commit(fix_of(thread).order.slug)
    drafter.result = FixResult(proposal=proposal(thread, base=base, head=head), cost_usd=0.3)
    drafter.ends.set()
    await bench.commit(fix_of(thread).order.slug, "limit = 6\n")
    end = await ends(runs(drafter, bench=bench).draft(thread, fix_of(thread).order.run_id))
    assert (end.plan, end.result.proposal, end.result.cost_usd) == (None, None, 0.3)
    assert end.result.problem.endswith("has another commit than the one that passed the check.")


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        (FixResult(problem="No change passed the check."), "No change passed the check."),
        (ToolError(f"the check holds {SECRET}"), "The check holds [redacted]."),
        (ZeroDivisionError(), "The draft failed (ZeroDivisionError); the log says more."),
    ],
)
async def test_a_draft_without_a_change_says_why(result: Any, problem: str) -> None:
    """Whatever broke."""
    thread, drafter = drafting(), Drafter()
    drafter.result = result
    drafter.ends.set()
    end = await ends(runs(drafter).draft(thread, fix_of(thread).order.run_id))
    assert (end.result.problem, end.plan) == (problem, None)
    assert await runs(drafter).draft(thread, "other") is None
    assert await runs(drafter).stop(thread, "other") is None


@pytest.mark.parametrize(("is_stopped", "is_ended"), [(True, True), (False, False)])
async def test_a_stop_of_triage_ends_the_process_and_the_end_of_the_bot_does_not(
    is_stopped: bool, is_ended: bool
) -> None:
    """A process outlives the bot, and is waited for by the next one."""
    thread, drafter = drafting(), Drafter()
    run_id = fix_of(thread).order.run_id
    task = asyncio.create_task(runs(drafter, is_stopped=is_stopped).draft(thread, run_id))
    await settle()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert drafter.stopped == ([run_id] if is_ended else [])


@pytest.mark.parametrize("is_started", [True, False])
async def test_a_discarded_draft_is_ended_and_its_cost_kept(is_started: bool) -> None:
    """One that had not begun is never started."""
    thread, drafter = stopping(), Drafter()
    run_id = fix_of(thread).order.run_id
    drafter.started = [run_id] if is_started else []
    drafter.result = FixResult(problem="It was ended.", cost_usd=0.5)
    end = await ends(runs(drafter).stop(thread, run_id))
    assert (drafter.stopped, end.result.cost_usd) == ([run_id], 0.5 if is_started else None)
    assert drafter.started == ([run_id] if is_started else [])


async def test_a_draft_that_nothing_goes_on_with_comes_to_an_end() -> None:
    """As after the model's key was taken away."""
    for thread, work in ((drafting(), runs(None).draft), (stopping(), runs(None).stop)):
        end = await ends(work(thread, fix_of(thread).order.run_id))
        assert end.result.problem
        assert not runs(None).is_started(end.run_id)


async def placed(house: House, thread: Thread) -> str:
    """Save a thread, and start a bot that finds it."""
    house.store.saved[thread.thread_id] = thread
    await house.orchestrator.start()
    await settle()
    return thread.thread_id


@pytest.mark.parametrize(("make", "kind"), [(drafting, DraftFix), (opening, OpenMergeRequest)])
async def test_a_stop_ends_a_fix_and_its_release_goes_on(make: Any, kind: Any) -> None:
    """From the saved document; the question waits for its person meanwhile."""
    house = House()
    home = await placed(house, make())
    assert [type(each) for each in house.started] == [kind]
    house.controls.state = "stopped"
    assert await house.orchestrator.halt() == HaltResult(runs=(), posts=(), unfinished=0, fixes=(home,))
    house.controls.state = "running"
    await house.orchestrator.release()
    await settle()
    assert [type(each) for each in house.started] == [kind, kind]
    await house.orchestrator.release()
    assert len(house.started) == 2
    await house.orchestrator.stop()


@pytest.mark.parametrize(
    ("state", "make", "begins"),
    [("paused", drafting, False), ("paused", opening, True), ("stopped", drafting, False), ("stopped", opening, False)],
)
async def test_a_pause_holds_a_draft_and_a_stop_an_opening_too(state: Any, make: Any, begins: bool) -> None:
    """What is held begins at release."""
    house = House()
    house.controls.state = state
    home = await placed(house, make())
    assert (bool(house.started), home in house.orchestrator.waiting) == (begins, not begins)
    await house.orchestrator.stop()


async def test_a_fix_and_a_run_of_its_thread_are_alive_together() -> None:
    """Another draft of the reply ends neither; a discard ends the draft of the fix alone."""
    house = House()
    home = await placed(house, drafting())
    await house.orchestrator.submit(home, press(Bounce, house.store.saved[home], feedback="shorter"))
    await settle()
    run_id = house.store.saved[home].run_id or ""
    fix = fix_of(house.store.saved[home])
    assert house.started == [DraftFix(run_id=fix.order.run_id), Investigate(run_id=run_id)]
    await house.orchestrator.submit(home, pressed(FixDiscarded, house.store.saved[home]))
    await settle()
    assert house.orchestrator.running == 1
    assert len(house.started) == 3
    await house.orchestrator.stop()
