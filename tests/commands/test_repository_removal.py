"""`remove_repo`: the preview shows what is lost, the press removes Triage's clone and nothing else."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from bot.decide.project_reach import ProjectReach
from bot.triage.created_projects import locate_repository
from tests.adapters.workspace_bench import commit, git
from tests.chat.crew import ADMIN, OPERATOR
from tests.commands.git_office import SECRET, GitOffice

API = "shop/api"


@pytest.fixture
async def office(tmp_path: Path) -> GitOffice:
    """A second clone of the remote, with a pushed branch, one that is not, and files that are in neither."""
    office = GitOffice(folder=tmp_path)
    await office.give("add_repo", user=ADMIN, source="clone", address=str(office.remote), name="api")
    for branch in ("pushed", "fix"):
        await office.give("git_create_branch", branch=branch, project=API)
        (office.tree(branch, API) / "a").write_text(f"{branch}\n")
        await office.give("git_commit", message="Mend it", project=API)
    await office.press(await office.give("git_push", branch="pushed", project=API))
    for name in ("new<!here>`.py", ".env", f"of {SECRET}"):
        (office.tree("fix", API) / name).write_text("x\n")
    return office


def clones(office: GitOffice) -> list[str]:
    """The names of Triage's clones, and of what is left of them."""
    return sorted(path.name.rpartition("-")[0] for path in (office.home / "checkouts" / ".work").iterdir())


async def test_the_press_removes_what_was_shown(office: GitOffice) -> None:
    """The remote, other repositories and the project stay; the name is free again, and its branch is no more chosen."""
    refs = git(office.remote, "for-each-ref")
    await office.give("git_create_branch", branch="own")
    asked = await office.give("remove_repo", user=ADMIN, project=API)
    shown = await office.shown(asked)
    assert (asked.outcome, "`triage/pushed`" in shown, SECRET in shown, "<!here>" in shown) == ("asked", *[False] * 3)
    for words in (API, f"The remote `{office.remote}` stays", "`triage/fix` at", "1 commit that no remote", "`.env`"):
        assert words in shown
    assert "new&lt;!here&gt;'.py" in shown
    assert asked.typed_again == API
    await office.press(asked, user=OPERATOR)
    assert clones(office) == ["shop", "shop@api"]
    assert "Removed `shop/api`" in await office.press(asked, user=ADMIN)
    assert (clones(office), git(office.remote, "for-each-ref")) == (["shop"], refs)
    later = await office.again()
    assert API not in (await later.give("list_repos")).text
    assert (await later.give("get_git_status", project="shop")).outcome == "done"
    assert (await later.give("add_repo", user=ADMIN, source="init", name="api")).outcome == "done"
    assert "You work on no branch" in (await later.give("get_git_status", project=API)).text


@pytest.mark.parametrize("change", ["a file", "a commit", "a branch"])
async def test_a_press_removes_nothing_if_more_would_be_lost(office: GitOffice, change: str) -> None:
    """Than what was shown above the buttons."""
    asked = await office.give("remove_repo", user=ADMIN, project=API)
    match change:
        case "a file":
            (office.tree("pushed", API) / "a").write_text("more\n")
        case "a commit":
            await office.give("git_commit", message="More", branch="fix", project=API)
        case _:
            await office.give("git_create_branch", branch="late", project=API)
            (office.tree("late", API) / "a").write_text("late\n")
    assert "has changed since it was shown" in await office.press(asked, user=ADMIN)
    assert clones(office) == ["shop@api"]
    assert API in (await office.give("list_repos")).text


async def test_a_linked_folder_is_never_removed(office: GitOffice) -> None:
    """Only the clone; it says so before."""
    before = git(office.people, "for-each-ref"), sorted(office.people.iterdir())
    await office.give("add_repo", user=ADMIN, source="link", address=str(office.people), name="linked")
    await office.give("git_create_branch", branch="x", project="shop/linked")
    asked = await office.give("remove_repo", user=ADMIN, project="shop/linked")
    shown = await office.shown(asked)
    assert f"The folder `{office.people}` stays as it is." in shown
    assert "no commit and no changed file (as last fetched)" in shown
    await office.press(asked, user=ADMIN)
    assert (git(office.people, "for-each-ref"), sorted(office.people.iterdir())) == before
    assert clones(office) == ["shop@api"]


async def test_one_that_began_here_is_lost_whole(office: GitOffice) -> None:
    """It is nowhere else; what was merged into its default branch counts."""
    await office.give("add_repo", user=ADMIN, source="init", name="tools")
    await office.give("git_create_branch", branch="x", project="shop/tools")
    (office.tree("x", "shop/tools") / "b").write_text("b\n")
    await office.give("git_commit", message="Add b", project="shop/tools")
    await office.press(await office.give("git_merge", project="shop/tools"))
    shown = await office.shown(await office.give("remove_repo", user=ADMIN, project="shop/tools"))
    for words in ("(it has no remote)", "`main` at", "3 commits that no remote has", "`triage/x` at"):
        assert words in shown


async def test_a_repository_out_of_reach_can_be_removed(office: GitOffice) -> None:
    """Its address is not allowed any more, or its remote is gone; nothing is fetched for the removal."""
    later = await office.again()
    nothing = partial(locate_repository, home=office.home, reach=ProjectReach(below=(), hosts=frozenset()))
    later.repositories.locate = nothing
    office.remote.rename(office.folder / "moved.git")
    asked = await later.give("remove_repo", user=ADMIN, project=API)
    assert "1 commit that no remote has" in await later.shown(asked)
    assert "Removed `shop/api`" in await later.press(asked, user=ADMIN)
    assert clones(later) == []


async def test_the_code_of_a_project_is_not_removed(office: GitOffice) -> None:
    """It stays with the project; what can be removed is named."""
    for name in ("shop", "shop/web", "SHOP/"):
        answer = await office.give("remove_repo", user=ADMIN, project=name)
        assert (answer.outcome, "Commands have added: `shop/api`." in answer.text) == ("invalid", True), answer.text
    assert (await office.give("remove_repo", user=ADMIN, project="Shop/API")).outcome == "asked"


async def test_a_removal_that_was_ended_is_finished_by_the_next(office: GitOffice) -> None:
    """Nobody finds half of a clone."""
    (work,) = (office.home / "checkouts" / ".work").iterdir()
    work.rename(work.with_name(f".gone-{work.name}"))
    commit(office.people, "more", a="more\n")
    later = await office.again()
    asked = await later.give("remove_repo", user=ADMIN, project=API)
    assert "Removed `shop/api`" in await later.press(asked, user=ADMIN)
    assert clones(later) == []
