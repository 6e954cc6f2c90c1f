"""What `triage doctor` says of the repository that a project lies in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.cli.doctor_projects import check_commits
from bot.models.project import Project
from tests.tools.conftest import commit, git

if TYPE_CHECKING:
    from pathlib import Path

DAMAGE = {
    "HEAD": lambda folder: (folder / "HEAD").write_text(""),
    "refs": lambda folder: (folder / "refs" / "heads" / "main").write_text("0" * 40),
    "config": lambda folder: (folder / "config").write_text("[core"),
}


@pytest.mark.parametrize("part", ["none", *DAMAGE])
async def test_a_repository_that_git_cannot_read_is_told(tmp_path: Path, part: str) -> None:
    """A whole one is not; any damage costs commits and links, which would be missed without a word."""
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path, "first", app_py="x = 1\n")
    if part in DAMAGE:
        DAMAGE[part](tmp_path / ".git")
    found = await check_commits(Project(name="shop", root=tmp_path))
    assert (found is None) == (part == "none")
    assert found is None or (found.name, "no commits, no links" in found.detail) == ("project shop", True)


async def test_a_folder_that_cannot_be_looked_into_has_no_repository(tmp_path: Path) -> None:
    """Another finding says so, and those of the projects after it follow."""
    assert await check_commits(Project(name="shop", root=tmp_path / ("long" * 100))) is None


async def test_a_repository_without_a_commit_is_told_and_no_repository_is_not(tmp_path: Path) -> None:
    """Where nothing is promised, nothing is missed."""
    shop = Project(name="shop", root=tmp_path)
    assert await check_commits(shop) is None
    git(tmp_path, "init", "--quiet")
    assert await check_commits(shop) is not None
