"""Drafter of fixes with real processes and real git: one process for an order, whatever is killed, and one commit."""

from __future__ import annotations

import asyncio
import os
import signal
from datetime import timedelta
from typing import Any

import pytest

from bot.escalation.fix_drafter import HeadlessFixes
from bot.models.fix import FixResult
from bot.models.fix_task import FixTask
from bot.models.workspace import FileChange
from tests.adapters.workspace_bench import git
from tests.escalation.fix_bench import FixBench, Play, edits, gives, judges
from tests.escalation.machine import SECONDS
from tests.escalation.test_program import is_gone
from tests.model_server import Answer, Body, ModelServer, hang

CHANGED = (FileChange(status="modified", path="total.py"),)


def right() -> Play:
    """A script that mends the defect in one round."""
    return Play(fixer=[edits(), gives()], validator=[judges()])


async def draft(drafter: HeadlessFixes, bench: FixBench) -> FixResult:
    """Draft a fix, within a time that only a broken test needs."""
    return await asyncio.wait_for(drafter.draft(bench.thread, bench.order), SECONDS)


async def test_a_press_becomes_a_commit_with_exactly_those_files(fix_bench: FixBench) -> None:
    """In the person's name, with the task; nothing is pushed; the same end at each call, from a later bot as well."""
    async with ModelServer(right()) as server:
        drafter = await fix_bench.build_drafter(fix_bench.write_settings(server))
        assert not drafter.is_started("run1")
        assert drafter.find_refusal(fix_bench.thread) is None
        assert drafter.find_repository(fix_bench.thread) == "shop"
        result = await draft(drafter, fix_bench)
        assert drafter.is_started("run1")
        asked = len(server.requests)
        again = await draft(await fix_bench.build_drafter(drafter.settings), fix_bench)
        assert (again, len(server.requests)) == (result, asked)
    proposal = result.proposal
    assert proposal, result.problem
    assert (proposal.files, proposal.title, proposal.target, result.problem) == (
        CHANGED,
        "Add up all prices",
        "main",
        "",
    )
    assert "-    return sum(prices) - 1\n+    return sum(prices)\n" in proposal.diff
    shown = git(
        fix_bench.tree, "show", "--format=%an|%ae|%s|%b|%(trailers:key=Triage-Task)", "--name-only", proposal.head
    )
    assert shown.startswith("Olga Ops|U0OPS@T0SANDBOX.slack.invalid|Add up all prices|The total was one too small.")
    assert "Triage-Task: shop-total-k7x2mq" in shown
    assert shown.endswith("\n\ntotal.py")
    assert (
        git(fix_bench.tree, "rev-parse", f"{proposal.head}^")
        == proposal.base
        == git(fix_bench.remote, "rev-parse", "main")
    )
    assert git(fix_bench.remote, "branch", "--list", "--format=%(refname:short)") == "main"
    (session,) = await fix_bench.sessions.read(result.session_ids)
    assert (session.agent, session.outcome, session.num_turns, session.held_usd) == ("fixer", "answered", 3, 0.0)
    assert result.cost_usd == session.cost_usd
    assert fix_bench.ledger.spent == session.spent_usd
    assert git(fix_bench.tree, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"defect": None}, "The findings name no defect at a place that code has opened."),
        ({"project": "other"}, "The project of the findings is no longer there."),
        ({"check": None}, "The project shop has no check: `projects.shop.check` declares it."),
        ({"repository": None}, "The code of shop is not fetched from a repository, so there is none to push to."),
        (
            {"isolation": "auto"},
            "The check would run code that an agent wrote, and programs are not isolated here: off in these tests.",
        ),
        ({"address": "x"}, "No forge of the settings serves it."),
    ],
)
async def test_a_fix_that_cannot_be_drafted_says_why(fix_bench: FixBench, change: dict[str, Any], refusal: str) -> None:
    """At the button, and again where it is started: nothing is left of the try."""
    fix_bench.isolation = change.get("isolation", "off")
    async with ModelServer([]) as server:
        drafter = await fix_bench.build_drafter(fix_bench.write_settings(server))
        thread, projects, forge = fix_bench.thread, drafter.projects, drafter.forge
        assert thread.investigator_return
        if "defect" in change:
            thread = thread.evolve(investigator_return=thread.investigator_return.evolve(defect=None))
        elif "project" in change:
            thread = thread.evolve(project="other")
        elif "address" in change:
            forge.address = "elsewhere"  # type: ignore[attr-defined]  # the bench's own
        elif "isolation" not in change:
            projects.project = fix_bench.project.evolve(**change)  # type: ignore[attr-defined]  # as above
        assert drafter.find_refusal(thread) == refusal
        result = await drafter.draft(thread, fix_bench.order)
        assert result.problem == f"It could not be started: {refusal.rstrip('.')}."
        assert not drafter.is_started("run1")
        assert not fix_bench.folder.path.exists()


async def test_a_day_without_money_starts_nothing(fix_bench: FixBench) -> None:
    """The run says so, holds nothing, and leaves no branch."""
    fix_bench.day_usd = 0.1
    async with ModelServer([]) as server:
        drafter = await fix_bench.build_drafter(fix_bench.write_settings(server))
        result = await draft(drafter, fix_bench)
    assert "the agents may cost $0.10 today" in result.problem
    assert "allows more, and then Propose a Fix begins again." in result.problem
    assert (fix_bench.folder.path.exists(), fix_bench.ledger.spent) == (False, 0.0)
    assert await fix_bench.build_workspaces().find(fix_bench.repository, "fix-total") is None


async def test_a_branch_with_changes_is_left_alone(fix_bench: FixBench) -> None:
    """It is somebody's work."""
    workspaces = fix_bench.build_workspaces()
    workspace = await workspaces.prepare(fix_bench.repository, "fix-total")
    (workspace.folder / "mine.txt").write_text("x")
    async with ModelServer([]) as server:
        drafter = await fix_bench.build_drafter(fix_bench.write_settings(server))
        result = await draft(drafter, fix_bench)
    assert "the branch triage/fix-total has changes already" in result.problem
    assert (workspace.folder / "mine.txt").exists()


class Stalls:
    """Script that plays some turns, and hangs in the next one."""

    def __init__(self, turns: int) -> None:
        self.play, self.turns, self.count = right(), turns, 0
        self.hangs = asyncio.Event()

    def __call__(self, body: Body) -> Answer:
        """Return the next turn."""
        self.count += 1
        if self.count > self.turns:
            self.hangs.set()
            return hang
        return self.play(body)


PHASES = [0, pytest.param(1, marks=pytest.mark.long), pytest.param(2, marks=pytest.mark.long)]
"""Turns before the kill: in the first one of the agent, after its edit, in the validator's."""


@pytest.mark.parametrize("turns", PHASES)
async def test_a_killed_process_ends_without_a_proposal(fix_bench: FixBench, turns: int) -> None:
    """Nothing starts a second one; what it may have spent counts."""
    script = Stalls(turns)
    async with ModelServer(script) as server:
        drafter = await fix_bench.build_drafter(fix_bench.write_settings(server))
        running = asyncio.create_task(draft(drafter, fix_bench))
        await asyncio.wait_for(script.hangs.wait(), SECONDS)
        pid = fix_bench.folder.find_process()
        assert pid
        os.kill(pid, signal.SIGKILL)
        result = await running
        assert await draft(drafter, fix_bench) == result
        assert len(server.requests) == turns + 1
    assert (result.proposal, result.problem) == (
        None,
        "Its process ended without a result.",
    )
    (session,) = await fix_bench.sessions.read(result.session_ids)
    assert (session.outcome, session.held_usd) == ("died", 0.0)
    assert result.unsure_usd == session.unsure_usd > 0
    assert await fix_bench.build_workspaces().find(fix_bench.repository, "fix-total") is None


@pytest.mark.long
async def test_a_process_that_is_killed_while_its_check_runs_leaves_nothing_behind(fix_bench: FixBench) -> None:
    """The check ends with it, and its copy is removed."""
    pipe = fix_bench.path / "begun"
    os.mkfifo(pipe)
    fix_bench.argv = ("sh", "-c", f"echo $$ > {pipe}; sleep 300 & wait")
    async with ModelServer([]) as server:
        drafter = await fix_bench.build_drafter(fix_bench.write_settings(server))
        running = asyncio.create_task(draft(drafter, fix_bench))
        check = int(await asyncio.wait_for(asyncio.to_thread(pipe.read_text), SECONDS))
        pid = fix_bench.folder.find_process()
        assert pid
        os.kill(pid, signal.SIGKILL)
        result = await running
    assert result.problem == "Its process ended without a result."
    assert await asyncio.to_thread(is_gone, check)
    assert not (fix_bench.folder.path / "check").exists()


@pytest.mark.long
async def test_a_later_bot_waits_for_the_process_of_an_earlier_one(fix_bench: FixBench) -> None:
    """The process goes on while no bot is there; a second start of the run is none."""
    script = Stalls(0)
    async with ModelServer(script) as server:
        drafter = await fix_bench.build_drafter(fix_bench.write_settings(server))
        earlier = asyncio.create_task(drafter.draft(fix_bench.thread, fix_bench.order))
        await asyncio.wait_for(script.hangs.wait(), SECONDS)
        earlier.cancel()
        await asyncio.gather(earlier, return_exceptions=True)
        pid = fix_bench.folder.find_process()
        later = await fix_bench.build_drafter(drafter.settings)
        await later.begin()
        assert fix_bench.ledger.spent == 2.0
        assert later.is_started("run1")
        waiting = asyncio.create_task(draft(later, fix_bench))
        await asyncio.to_thread(
            later.launcher.start, fix_bench.folder, "again", later.environments.build(None)
        )  # as after a doubtful start
        await asyncio.sleep(0.2)
        assert fix_bench.folder.find_process() == pid
        await later.stop("run1")
        result = await waiting
    assert (result.proposal, result.problem) == (None, "It was stopped.")
    assert len(server.requests) == 1
    assert fix_bench.folder.find_process() is None


@pytest.mark.long
async def test_a_stopped_triage_ends_its_fixes(fix_bench: FixBench) -> None:
    """As it ends the runs of tiers."""
    script = Stalls(0)
    async with ModelServer(script) as server:
        drafter = await fix_bench.build_drafter(fix_bench.write_settings(server))
        running = asyncio.create_task(draft(drafter, fix_bench))
        await asyncio.wait_for(script.hangs.wait(), SECONDS)
        await fix_bench.controls.set_state("stopped", fix_bench.clock.now())
        result = await running
    assert result.problem == "An admin stopped Triage, which ended it."


@pytest.mark.long
async def test_a_run_that_takes_too_long_is_ended(fix_bench: FixBench) -> None:
    """By the bot, where the process does not end itself."""
    script = Stalls(0)
    async with ModelServer(script) as server:
        drafter = await fix_bench.build_drafter(fix_bench.write_settings(server))
        running = asyncio.create_task(draft(drafter, fix_bench))
        await asyncio.wait_for(script.hangs.wait(), SECONDS)
        task = fix_bench.folder.read_record(fix_bench.folder.task, FixTask)
        assert task
        late = task.evolve(at=task.at - timedelta(seconds=task.most_seconds + 200))
        running.cancel()
        fix_bench.folder.save_task(late.model_dump(mode="json"))
        result = await draft(drafter, fix_bench)
    assert result.problem.startswith("It took longer than 35.3 minutes")
    assert (result.proposal, fix_bench.folder.find_process()) == (None, None)


async def test_a_process_that_cannot_be_started_is_an_end(fix_bench: FixBench) -> None:
    """It costs nothing."""
    async with ModelServer([]) as server:
        settings = fix_bench.write_settings(server)
        drafter = await fix_bench.build_drafter(settings, command=("/nowhere/python",))
        result = await draft(drafter, fix_bench)
    assert result.problem.startswith("Its process could not be started: ")
    assert (result.cost_usd, fix_bench.ledger.spent) == (0.0, 0.0)


@pytest.mark.long
async def test_a_run_that_nothing_waits_for_is_settled_at_the_next_start(fix_bench: FixBench) -> None:
    """Also one whose folder is gone; old folders are removed."""
    script = Stalls(0)
    async with ModelServer(script) as server:
        drafter = await fix_bench.build_drafter(fix_bench.write_settings(server))
        running = asyncio.create_task(drafter.draft(fix_bench.thread, fix_bench.order))
        await asyncio.wait_for(script.hangs.wait(), SECONDS)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await drafter.stop("run1")
        later = await fix_bench.build_drafter(drafter.settings)
        assert fix_bench.ledger.spent == 2.0
        await later.begin()
        assert fix_bench.ledger.spent < 2.0
        os.utime(fix_bench.folder.path, (0, 0))
        await later.prune()
        assert not fix_bench.folder.path.exists()
