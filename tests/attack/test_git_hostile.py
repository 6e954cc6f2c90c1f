"""Commands on git and tools of agents under hostile repositories, and under hostile callers: nothing gets out."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from bot import isolation
from bot.commands.permission import Permission
from bot.errors import ToolError
from bot.models.project import Project
from bot.tools.definitions import DefinitionFinder
from bot.tools.edit_tools import EditTools
from bot.tools.file_tools import FileTools
from bot.tools.read_log import ReadLog
from measure.attack import git_calls
from measure.attack.repositories import CANARY, FORGED
from tests.attack import git_hostile
from tests.chat.crew import ADMIN
from tests.commands.git_office import GitOffice
from tests.tools.conftest import make_guard
from tests.tools.test_hostile import all_tools

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def bare() -> Iterator[None]:
    """No boundary of the operating system: git and the commands alone must hold."""
    isolation.configure("off")
    yield
    isolation.configure("auto")


def test_every_command_and_every_tool_has_a_row() -> None:
    """A new one cannot be forgotten."""
    assert git_hostile.find_missing_commands() == set()
    assert git_hostile.find_missing_tools() == set()


@pytest.mark.parametrize("project", ["shop", pytest.param(git_hostile.LINKED, marks=pytest.mark.long)])
async def test_no_tripwire_fires_under_any_command(tmp_path: Path, bare: None, project: str) -> None:
    """Of the remote or of a folder that is linked, and of a workspace as a program may have left it."""
    trips = git_hostile.plant(tmp_path)
    office, ran, texts = GitOffice(folder=tmp_path), {"git_create_branch"}, []
    before = git_hostile.take_snapshot(tmp_path / "project")
    address = str(tmp_path / "project")
    assert (await office.give("add_repo", user=ADMIN, source="link", address=address, name="evil")).outcome == "done"
    created = await office.give("git_create_branch", branch="fix", project=project)
    assert created.outcome == "done", created.text
    git_hostile.plant_in_workspace(office.tree("fix", project), trips)
    for name, given in git_hostile.COMMANDS:
        if name in office.handler.commands:
            answer = await office.give(name, user=ADMIN, **{"project": project, **given})
            texts += [answer.text, await office.press(answer, user=ADMIN) if answer.confirmation else ""]
            ran |= {name} if answer.outcome in ("done", "asked") else set()
    assert [path.name for path in trips.iterdir()] == []
    assert not any(sign in text for text in texts for sign in (CANARY, FORGED))
    assert git_hostile.take_snapshot(tmp_path / "project") == before
    of_projects = {"git_push", "list_repos", "add_repo", "remove_repo"}
    never = {"get_task_diff", "git_create_pr"} | (of_projects if project == git_hostile.LINKED else set())
    assert ran >= {*office.handler.commands} - never
    assert ("Pushed" in "".join(texts)) == (project == "shop")


@pytest.mark.parametrize("place", git_hostile.LINK_PLACES)
async def test_no_command_follows_a_link_in_place_of_a_workspace(tmp_path: Path, bare: None, place: str) -> None:
    """Nor of a folder above it: nothing there is changed, each refusal says what to do, and then work goes on."""
    office = GitOffice(folder=tmp_path)
    assert (await office.give("git_create_branch", branch="fix")).outcome == "done"
    (clone,) = (office.home / "checkouts" / ".work").iterdir()
    link, victim = clone.parent / place.format(clone=clone.name), tmp_path / "victim"
    (office.tree("fix") / "a").write_text("two\n")
    git_hostile.replace_by_link(link, victim)
    before, texts = git_hostile.take_snapshot(victim), []
    for process in (office, await office.again()):
        for name, given in git_hostile.COMMANDS:
            if name in process.handler.commands:
                answer = await process.give(name, user=ADMIN, **{"project": "shop", "branch": "fix", **given})
                texts += [answer.text, await process.press(answer, user=ADMIN) if answer.confirmation else ""]
    assert git_hostile.take_snapshot(victim) == before
    assert sum("is a link or a file" in text and "move it away" in text for text in texts) >= 6
    link.unlink()
    assert (await office.give("get_git_status")).outcome == "done"


async def test_no_tripwire_fires_under_any_tool(tmp_path: Path, bare: None) -> None:
    """Nor does any of them show or change what lies outside, or show a history that is made up."""
    trips = git_hostile.plant(tmp_path)
    root = tmp_path / "project"
    reader = FileTools(root=root, guard=make_guard(), read_log=ReadLog())
    finder = DefinitionFinder(project=Project(name="app", root=root), reader=reader, indexes=tmp_path / "indexes")
    editor = EditTools(root=root, guard=make_guard())
    tools = {tool.name: tool for tool in (*all_tools(root), finder.tool, *editor.tools)}
    assert {*tools} == {*git_hostile.TOOLS}
    places = (tmp_path / "outside", root / ".git")
    before = [git_hostile.take_snapshot(place) for place in places]
    answered = set()
    for name, calls in git_hostile.TOOLS.items():
        for given in calls:
            try:
                text = await tools[name].run(tools[name].input.model_validate(given))
            except (ToolError, ValidationError) as problem:
                text = str(problem)
            else:
                answered.add(name)
            assert CANARY not in text
            assert FORGED not in text
    assert answered == {*tools}
    assert [file.path for file in editor.changes] == ["app.py"]
    assert [git_hostile.take_snapshot(place) for place in places] == before
    assert [path.name for path in trips.iterdir()] == []


def test_the_tripwires_are_live(tmp_path: Path) -> None:
    """Plain git, as a person uses it, sets them off."""
    trips = git_hostile.plant(tmp_path)
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_PAGER": "cat"}
    for words in ("status", "diff", "log -p -1", "add -A", "checkout -q -b other", "merge -q HEAD~1", "fetch"):
        subprocess.run(["git", *words.split()], cwd=tmp_path / "project", env=env, check=False, capture_output=True)  # noqa: S607  # a test's own
    assert len([*trips.iterdir()]) >= 4


@pytest.mark.parametrize("count", [80, pytest.param(2_000, marks=pytest.mark.long)])
async def test_a_hostile_caller_changes_nothing_but_workspaces(tmp_path: Path, bare: None, count: int) -> None:
    """Whoever calls whatever, and presses what is not theirs: nothing is done without consent, written outside of
    Triage's clones, or pushed."""
    found = await git_calls.attack(tmp_path, count)
    assert (found.tries, found.effects) == (count, ())
    assert all(outcome in found.measured for outcome in ("done", "asked", "refused", "invalid"))


async def test_a_weaker_handler_would_be_noticed(tmp_path: Path, bare: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that lets everybody in."""

    async def let_in(*_: object) -> None: ...

    monkeypatch.setattr(Permission, "refusal", let_in)
    assert any(effect.startswith("without consent") for effect in (await git_calls.attack(tmp_path, 80)).effects)
