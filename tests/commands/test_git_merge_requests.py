"""`git_create_pr` with real git and a forge on loopback: exactly what was shown, once, or nothing."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot.adapters.forge import Forges
from tests.adapters.workspace_bench import git
from tests.chat.crew import ADMIN, OPERATOR
from tests.commands.git_office import SECRET, TASK, GitOffice
from tests.forge_server import Fault, ForgeServer, cut, status
from tests.kills import Kill, live

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.commands.command import CommandAnswer


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[ForgeServer]:
    """A forge that serves the remote of `shop`."""
    async with ForgeServer(folder=tmp_path.parent) as server:
        yield server


@pytest.fixture
async def office(tmp_path: Path, server: ForgeServer) -> GitOffice:
    """The operator has pushed `triage/fix`."""
    return await open_office(tmp_path, server)


async def open_office(folder: Path, server: ForgeServer, slug: str = "fix") -> GitOffice:
    """The commands, with a pushed branch."""
    office = GitOffice(
        folder=folder, forges=Forges(sites=(server.site("github"),), variables=server.variables, timeout_s=0.5)
    )
    await office.give("git_create_branch", branch=slug)
    (office.tree(slug) / "a").write_text("two\n")
    await office.give("git_commit", message="Mend it\n\nIt was broken.")
    await office.press(await office.give("git_push"))
    return office


async def test_a_draft_is_opened_as_it_was_shown(tmp_path: Path, server: ForgeServer) -> None:
    """By a press of the person who asked, with that person and the task in its text; asked for again, it is there."""
    office = await open_office(tmp_path, server, TASK)
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


async def test_what_is_not_pushed_is_not_opened(office: GitOffice, server: ForgeServer) -> None:
    """Neither when it is asked for, nor at the press, nor without a forge; the answer names the next step."""
    alone = GitOffice(folder=office.folder, kept=office.kept)
    assert "adds its host to `forges`" in (await alone.give("git_create_pr", branch="fix")).text
    asked = await office.give("git_create_pr")
    (office.tree("fix") / "a").write_text("three\n")
    await office.give("git_commit", message="More")
    refused = await office.give("git_create_pr")
    assert (refused.outcome, "`git_push fix` pushes it first" in refused.text) == ("invalid", True)
    assert "`git_push fix` pushes it first" in await office.press(asked)
    await office.press(await office.give("git_push"))
    asked = await office.give("git_create_pr")
    (office.tree("fix") / "a").write_text("four\n")
    await office.give("git_commit", message="Yet more")
    await office.press(await office.give("git_push"))
    assert "changed since this was shown" in await office.press(asked)
    assert server.requests == []


async def test_faults_of_the_forge(office: GitOffice, server: ForgeServer) -> None:
    """It is tried again, or the answer says the next step; never are there two. The commits say what nobody wrote."""
    for faults, words in (
        ([cut(), status(429, Retry_After="5"), cut(after_storing=True)], "is open, as a draft"),
        ([status(502), cut(), cut()], "it finds what is there"),
        ([status(429, Retry_After="600")], "in 10 minutes"),
        ([Fault(status=422, body=b'{"message": "No commits between main and x"}')], "No commits between"),
    ):
        asked = await office.give("git_create_pr")
        server.faults += faults
        assert words in await office.press(asked)
        assert [(each.title, each.body[:9]) for each in server.requests] == [("Mend it", "- Mend it")] * (
            "as a draft" in words
        )
        server.requests.clear()


async def test_after_a_kill_the_next_process_goes_on_with_the_press(office: GitOffice, server: ForgeServer) -> None:
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
            (office.tree("fix") / "a").write_text("three\n")
            await office.give("git_commit", message="More")
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
