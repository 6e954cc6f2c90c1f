"""Openings of merge requests with real git, a bare remote and a forge on loopback: exactly what was shown, once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot import isolation
from bot.adapters.forge import Forges
from bot.errors import RetryLater, ToolError, Uncertain
from bot.models.fix_event import MergeRequestFailed, MergeRequestOpened
from bot.models.thread import Thread
from bot.runtime import failpoints
from tests.adapters.workspace_bench import git
from tests.builders import OPERATOR
from tests.fakes import LeapingClock
from tests.fix_bench import FixBench
from tests.fixes import fix_of
from tests.forge_server import Fault, ForgeServer, status
from tests.kills import Killed


@pytest.fixture(autouse=True)
async def server() -> AsyncIterator[ForgeServer]:
    """The forge, and git without a boundary, which tests of its own have."""
    isolation.configure("off")
    async with ForgeServer() as server:
        yield server
    failpoints.arm(None)
    isolation.configure("auto")


async def begin(folder: Path, server: ForgeServer) -> tuple[FixBench, Thread, str]:
    """A fix whose merge request is to be opened."""
    bench = FixBench.at(folder, server)
    thread = await bench.propose()
    return bench, thread, fix_of(thread).opening_id or ""


async def test_the_commit_is_pushed_and_a_draft_opened_once(tmp_path: Path, server: ForgeServer) -> None:
    """However often it is asked for; the text names the person and the task, and the audit person, commit and link."""
    bench, thread, run_id = await begin(tmp_path, server)
    fix = fix_of(thread)
    events = [await bench.build().open(thread, run_id) for _ in range(3)]
    assert all(isinstance(event, MergeRequestOpened) for event in events)
    assert fix.proposal is not None
    assert bench.heads() == {"main": bench.heads()["main"], fix.proposal.branch: fix.proposal.head}
    (draft,) = server.requests
    assert (draft.title, draft.branch, draft.target, draft.is_draft) == (
        "Draft: Raise the limit to 5",
        fix.proposal.branch,
        "main",
        True,
    )
    assert draft.body.startswith("The docs promise five tries.")
    assert f"Olu Ops (`{OPERATOR}`) for the task `{thread.task}`" in draft.body
    left, record = bench.audit.kept
    assert (left["action"], left["user_id"], left["sha"], left["branch"], left["remote"]) == (
        "branch_pushed",
        OPERATOR,
        fix.proposal.head,
        fix.proposal.branch,
        str(bench.remote),
    )
    assert (record["user_id"], record["sha"], record["link"]) == (
        OPERATOR,
        fix.proposal.head,
        "https://git.example.com/team/shop/-/merge_requests/1",
    )


async def test_another_opening_is_left_alone(tmp_path: Path, server: ForgeServer) -> None:
    """Of a press that no longer counts."""
    bench, thread, _ = await begin(tmp_path, server)
    assert await bench.build().open(thread, "other") is None
    assert await bench.build().open(thread.evolve(fix=None), "other") is None
    assert [*bench.heads()] == ["main"]
    assert server.requests == []


async def _other_commit(bench: FixBench, thread: Thread) -> Thread:
    await bench.commit(fix_of(thread).order.slug, "limit = 6\n")
    return thread


async def _other_remote(bench: FixBench, thread: Thread) -> Thread:
    elsewhere = bench.remote.with_name("elsewhere.git")
    git(bench.team, "clone", "-q", "--bare", str(bench.remote), str(elsewhere))
    assert bench.repository.origin is not None
    origin = bench.repository.origin.evolve(url=str(elsewhere))
    bench.repositories.repository = bench.repository.evolve(origin=origin)
    return thread


async def _other_default(bench: FixBench, thread: Thread) -> Thread:
    git(bench.remote, "branch", "develop", "main")
    git(bench.remote, "symbolic-ref", "HEAD", "refs/heads/develop")
    return thread


async def _default_of_triage(bench: FixBench, thread: Thread) -> Thread:
    branch = f"triage/{fix_of(thread).order.slug}"
    git(bench.remote, "branch", branch, "main")
    git(bench.remote, "symbolic-ref", "HEAD", f"refs/heads/{branch}")
    return thread


async def _gone(bench: FixBench, thread: Thread) -> Thread:
    bench.repositories.repository = None
    return thread


async def _tampered(bench: FixBench, thread: Thread) -> Thread:
    fix = fix_of(thread)
    assert fix.plan is not None
    return thread.evolve(fix=fix.evolve(plan=fix.plan.evolve(sha="c" * 40)))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_other_commit, "nothing was pushed"),
        (_other_remote, "nothing was pushed"),
        (_other_default, "nothing was pushed"),
        (_default_of_triage, "nothing was pushed"),
        (_gone, "no longer there"),
        (_tampered, "nothing was pushed"),
    ],
)
async def test_nothing_is_pushed_where_anything_differs_from_the_card(
    tmp_path: Path, server: ForgeServer, change: Any, why: str
) -> None:
    """Another commit, another remote, another default branch: a clear word instead."""
    bench, thread, run_id = await begin(tmp_path, server)
    changed = await change(bench, thread)
    before = bench.heads()
    event = await bench.build().open(changed, run_id)
    assert isinstance(event, MergeRequestFailed)
    assert why in event.problem
    assert event.pushed == "no"
    assert (bench.heads(), server.requests, bench.audit.kept) == (before, [], [])
    assert event.is_outdated is (change is not _gone)


async def test_a_default_branch_that_came_back_is_seen_at_the_next_press(tmp_path: Path, server: ForgeServer) -> None:
    """At once: a press never goes by what was fetched for an earlier one."""
    bench, thread, run_id = await begin(tmp_path, server)
    opener = bench.build()
    await _other_default(bench, thread)
    assert isinstance(await opener.open(thread, run_id), MergeRequestFailed)
    git(bench.remote, "symbolic-ref", "HEAD", "refs/heads/main")
    assert isinstance(await opener.open(thread, run_id), MergeRequestOpened)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (status(403), "The branch is pushed, but its merge request was not opened:"),
        (Fault(method="GET", status=401), "The branch is pushed, but its merge request was not opened:"),
    ],
)
async def test_a_forge_that_refuses_is_told_of_and_asked_again(
    tmp_path: Path, server: ForgeServer, fault: Fault, why: str
) -> None:
    """The next press finds the branch pushed, and opens the draft."""
    bench, thread, run_id = await begin(tmp_path, server)
    server.faults.append(fault)
    event = await bench.build().open(thread, run_id)
    assert isinstance(event, MergeRequestFailed)
    assert event.problem.startswith(why)
    assert (event.pushed, [each["action"] for each in bench.audit.kept]) == ("yes", ["branch_pushed"])
    assert isinstance(await bench.build().open(thread, run_id), MergeRequestOpened)
    assert len(server.requests) == 1


@pytest.mark.parametrize("has_site", [True, False])
async def test_nothing_is_pushed_where_no_draft_can_be_opened(
    tmp_path: Path, server: ForgeServer, has_site: bool
) -> None:
    """The token or the forge is missing, which is known before."""
    bench, thread, run_id = await begin(tmp_path, server)
    forge = Forges(sites=(bench.site,) if has_site else (), variables={})
    event = await replace(bench.build(), forge=forge).open(thread, run_id)
    assert isinstance(event, MergeRequestFailed)
    assert event.problem.startswith("Nothing was pushed: ")
    assert ("the environment has no" if has_site else "no forge of the settings") in event.problem
    assert [*bench.heads()] == ["main"]


class LosingGit:
    """Workspaces whose push fails on the way, before or after it has had its effect, and whose look may fail, too."""

    def __init__(self, real: Any, *, is_pushed: bool, is_seen: bool) -> None:
        self.real, self.is_pushed, self.is_seen = real, is_pushed, is_seen

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    async def push(self, repository: Any, plan: Any) -> None:
        """Lose the answer."""
        if self.is_pushed:
            await self.real.push(repository, plan)
        raise Uncertain("the remote does not answer")

    async def plan_push(self, repository: Any, slug: str) -> Any:
        """Look at the remote."""
        if not self.is_seen:
            raise Uncertain("the remote does not answer")
        return await self.real.plan_push(repository, slug)


@pytest.mark.parametrize(
    ("is_pushed", "is_seen", "known"),
    [(False, True, "no"), (True, True, "yes"), (True, False, "maybe"), (False, False, "maybe")],
)
async def test_a_push_that_failed_on_the_way_is_looked_for(
    tmp_path: Path, server: ForgeServer, is_pushed: bool, is_seen: bool, known: str
) -> None:
    """So that nobody is told that nothing was pushed where it was."""
    bench, thread, run_id = await begin(tmp_path, server)
    opener = bench.build()
    git_lost = LosingGit(opener.workspaces, is_pushed=is_pushed, is_seen=is_seen)
    event = await replace(opener, workspaces=git_lost).open(thread, run_id)
    assert isinstance(event, MergeRequestFailed)
    assert event.pushed == known


class ForgetfulGit(LosingGit):
    """Workspaces whose push first loses the answer, then is refused."""

    refusals = 0

    async def push(self, repository: Any, plan: Any) -> None:
        """Have the effect, if any, at the first try."""
        if self.refusals:
            raise ToolError("the remote has links that lead elsewhere")
        self.refusals += 1
        if self.is_pushed:
            await self.real.push(repository, plan)
        raise RetryLater("the remote does not answer")


@pytest.mark.parametrize(
    ("is_pushed", "is_seen", "known"),
    [(False, True, "no"), (True, True, "yes"), (True, False, "maybe")],
)
async def test_a_refusal_after_a_lost_answer_says_nothing_of_the_try_before(
    tmp_path: Path, server: ForgeServer, is_pushed: bool, is_seen: bool, known: str
) -> None:
    """The remote is looked at."""
    bench, thread, run_id = await begin(tmp_path, server)
    opener = bench.build()
    git_lost = ForgetfulGit(opener.workspaces, is_pushed=is_pushed, is_seen=is_seen)
    event = await replace(opener, workspaces=git_lost, clock=LeapingClock()).open(thread, run_id)
    assert isinstance(event, MergeRequestFailed)
    assert (event.pushed, "links that lead elsewhere" in event.problem) == (known, True)


class DoubtfulForge:
    """A forge of which nobody knows what it has done."""

    def find_fault(self, _: str) -> str:
        """Serve it."""
        return ""

    async def open_draft(self, address: str, **_: Any) -> Any:
        """Give no answer."""
        raise Uncertain("the forge gave no answer")


async def test_a_doubt_is_said_and_the_next_press_looks(tmp_path: Path, server: ForgeServer) -> None:
    """Nothing else is tried by itself."""
    bench, thread, run_id = await begin(tmp_path, server)
    event = await replace(bench.build(), forge=DoubtfulForge()).open(thread, run_id)  # type: ignore[arg-type]  # it has the one call
    assert isinstance(event, MergeRequestFailed)
    assert event.problem == (
        "The branch is pushed; whether its merge request was opened is not known: the forge gave no answer."
    )
    broken = await replace(bench.build(), forge=None).open(thread, run_id)  # type: ignore[arg-type]  # it breaks
    assert isinstance(broken, MergeRequestFailed)
    assert broken.problem == "The opening failed (AttributeError); the log says more."


@pytest.mark.parametrize("point", ["fixes.push", "fixes.open"])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_an_opening_that_was_killed_goes_on(tmp_path: Path, server: ForgeServer, point: str, when: str) -> None:
    """At each step, before and after it has its effect: one commit on one branch, and one draft."""
    bench, thread, run_id = await begin(tmp_path, server)
    failpoints.arm(_kill(point, when))
    with pytest.raises(Killed):
        await bench.build().open(thread, run_id)
    failpoints.arm(None)
    assert isinstance(await bench.build().open(thread, run_id), MergeRequestOpened)
    fix = fix_of(thread)
    assert fix.proposal is not None
    assert (bench.heads()[fix.proposal.branch], len(server.requests)) == (fix.proposal.head, 1)
    assert [each["action"] for each in bench.audit.kept] == ["branch_pushed", "merge_request_opened"]


def _kill(at: str, when: str) -> Any:
    @contextmanager
    def watch(point: str, subject: str) -> Any:
        if point == at and when == "before":
            raise Killed
        yield
        if point == at:
            raise Killed

    return watch
