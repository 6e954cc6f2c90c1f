"""`git_create_pr` with a forge on loopback, and with real git: exactly what was shown, once, or nothing."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from bot.adapters.forge import Forges
from bot.models.workspace import Branches, PushPlan, WorkCommit, WorkRepository, Workspace
from tests.adapters.workspace_bench import git
from tests.builders import T0
from tests.chat.crew import ADMIN, OPERATOR
from tests.commands.git_office import SECRET, TASK, GitOffice
from tests.forge_server import Fault, ForgeServer, cut, status
from tests.kills import Kill, live

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.commands.command import CommandAnswer
    from bot.ports.workspaces import Workspaces


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ForgeServer]:
    """A forge that serves the remote of `shop`."""
    async with ForgeServer(folder=tmp_path.parent) as server:
        yield server


class Pushed:
    """`Workspaces` of the branch `triage/fix`, which is at the remote as it is here unless a test says otherwise."""

    sha = remote_sha = "a" * 40

    async def find(self, repository: WorkRepository, slug: str) -> Workspace:
        """Find it."""
        folder = Path("/nowhere")
        return Workspace(repository=repository.name, slug=slug, folder=folder, head=self.sha, base="b" * 40)

    async def branches(self, repository: WorkRepository, **_: bool) -> Branches:
        """Only this one."""
        workspace = await self.find(repository, "fix")
        return Branches(default="main", default_sha="b" * 40, workspaces=(workspace,), remote=())

    async def log(self, *_: object, **__: object) -> tuple[WorkCommit, ...]:
        """Two commits."""
        return tuple(WorkCommit(sha=self.sha, author="Otto", at=T0, subject=subject) for subject in ("More", "Mend it"))

    async def plan_push(self, repository: WorkRepository, slug: str) -> PushPlan:
        """The push of what is not there."""
        shas = {"sha": self.sha, "remote_sha": self.remote_sha}
        return PushPlan(repository=repository.name, slug=slug, remote=repository.address, commits=1, files=1, **shas)


def connect(server: ForgeServer) -> Forges:
    """The adapter of the forge."""
    return Forges(sites=(server.site("github"),), variables=server.variables, timeout_s=0.5)


@pytest.fixture
def pushed() -> Pushed:
    """The branch."""
    return Pushed()


@pytest.fixture
def office(tmp_path: Path, server: ForgeServer, pushed: Pushed) -> GitOffice:
    """The commands on that branch, without git."""
    ref = tmp_path / "remote.git" / "refs" / "heads" / "triage" / "fix"
    ref.parent.mkdir(parents=True)
    ref.write_text(pushed.sha)
    return GitOffice(folder=tmp_path, forges=connect(server), stub=cast("Workspaces", pushed))


async def test_a_draft_is_opened_as_it_was_shown(tmp_path: Path, server: ForgeServer) -> None:
    """By a press of the person who asked, with that person and the task in its text; asked for again, it is there."""
    office = GitOffice(folder=tmp_path, forges=connect(server))
    await office.give("git_create_branch", branch=TASK)
    (office.tree(TASK) / "a").write_text("two\n")
    await office.give("git_commit", message="Mend it")
    refused = await office.give("git_create_pr")
    assert (refused.outcome, f"`git_push {TASK} shop` pushes it first" in refused.text) == ("invalid", True)
    await office.press(await office.give("git_push"))
    body = f"It closes on blur, as {SECRET} says.\n/merge @all"
    asked = await office.give("git_create_pr", title="Mend the flyout", body=body)
    shown = await office.shown(asked)
    sha = git(office.remote, "rev-parse", f"triage/{TASK}")
    for words in (f"`triage/{TASK}` of `shop` into `main`, at `{office.remote}`", f"`{sha}`, as pushed"):
        assert words in shown
    await office.press(asked, user=ADMIN)
    assert server.requests == []
    said = await office.press(asked)
    await office.press(asked)
    (opened,) = server.requests
    assert (opened.branch, opened.target, opened.is_draft) == (f"triage/{TASK}", "main", True)
    assert (opened.title, SECRET in opened.body) == ("Mend the flyout", False)
    assert opened.body.splitlines()[1:] == [
        "\\/merge \uff20all",
        "",
        "---",
        f"Requested in Slack by Otto Ops (`{OPERATOR}`) for the task `{TASK}`; opened by Triage as a draft.",
    ]
    for line in (*opened.body.splitlines(), "Mend the flyout"):
        assert line in shown
    assert "1 of `shop` (<https://git.example.com/" in said
    assert ">) is open, as a draft." in said
    again = await office.give("git_create_pr", title="Other")
    assert (again.outcome, "is open already. Nothing is opened." in again.text) == ("invalid", True)


async def test_what_has_changed_since_is_not_opened(office: GitOffice, server: ForgeServer, pushed: Pushed) -> None:
    """A commit that is not pushed, another one that is; nor is anything without a forge. The answers say what to do."""
    alone = GitOffice(folder=office.folder, stub=office.stub)
    assert "adds its host to forges" in (await alone.give("git_create_pr")).text
    asked = await office.give("git_create_pr")
    pushed.sha = "c" * 40
    assert "`git_push fix shop` pushes it first" in await office.press(asked)
    pushed.sha = pushed.remote_sha = "a" * 40
    asked = await office.give("git_create_pr")
    pushed.sha = pushed.remote_sha = "c" * 40
    assert "changed since this was shown" in await office.press(asked)
    assert server.requests == []


async def test_faults_of_the_forge(office: GitOffice, server: ForgeServer) -> None:
    """It is tried again, or the answer says the next step; never are there two. The commits say what nobody wrote."""
    for faults, words in (
        ([cut(), status(429, Retry_After="5"), cut(after_storing=True)], "is open, as a draft"),
        ([status(401)], "replace it"),
        ([status(502), cut(), cut()], "it finds what is there"),
        ([status(429, Retry_After="600")], "in 10 minutes"),
        (
            [Fault(status=422, body=b'{"message": "No commits between main and x"}')],
            "and x): nothing was opened. Mend what these words name",
        ),
    ):
        asked = await office.give("git_create_pr")
        server.faults += faults
        assert words in await office.press(asked)
        assert [(each.title, each.body.partition("\n\n")[0]) for each in server.requests] == [
            ("Mend it", "- Mend it\n- More")
        ] * ("as a draft" in words)
        server.requests.clear()


async def test_after_a_kill_the_next_process_goes_on_with_the_press(
    office: GitOffice, server: ForgeServer, pushed: Pushed
) -> None:
    """Before each call of the forge, and after it has stored the draft: there is one, though the branch has gone on."""
    for before in (1, 2, 3, 0):
        asked = await office.give("git_create_pr")
        if before:
            kill = Kill(before=before, only=("send",))
            await live(partial(_press, office, asked), kill)
            assert kill.is_dead
            assert server.requests == []
        else:
            server.faults.append(Fault(hangs=True, after_storing=True))
            pressing = asyncio.ensure_future(_press(office, asked))
            await server.stored.wait()
            await office.buttons.stop()
            await pressing
            pushed.sha = "c" * 40
        office = await office.again()
        await office.buttons.begin()
        await office.buttons.settle()
        waiting = await office.handler.confirmations.find(asked.confirmation or "")
        assert waiting
        assert (waiting.state, waiting.is_under_way, len(server.requests)) == ("taken", False, 1)
        server.requests.clear()
        server.stored.clear()


async def _press(office: GitOffice, asked: CommandAnswer) -> None:
    await office.press(asked)


async def test_words_come_from_all_commits_that_the_target_lacks(tmp_path: Path, server: ForgeServer) -> None:
    """Those of the branch below, too, whose request they would be in."""
    office = GitOffice(folder=tmp_path, forges=connect(server))
    await office.give("git_create_branch", branch="big")
    (office.tree("big") / "a").write_text("two\n")
    await office.give("git_commit", message="Mend it")
    await office.give("git_create_branch", branch="small", base="triage/big")
    await office.press(await office.give("git_push", branch="small"))
    shown = await office.shown(await office.give("git_create_pr", branch="small"))
    assert shown.count("Mend it") == 2
