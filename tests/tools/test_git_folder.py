"""Which folder git reads: those that git itself makes are taken, whatever is only written down is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.errors import ToolError
from bot.tools.commits import blame
from bot.tools.git import commit_sha, has_repository, run
from bot.tools.git_folder import git_folder
from tests.tools.conftest import commit, git

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit and a folder in it."""
    root = tmp_path / "project"
    (root / "inner").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    commit(root, "First", app_py="key = 1\n", inner__a_py="a = 1\n")
    return root


async def test_what_git_makes_is_read(project: Path, tmp_path: Path) -> None:
    """A repository, a folder in it, a worktree of it, and a submodule."""
    git(project, "worktree", "add", "-q", str(tmp_path / "tree"))
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(project), "sub")
    for root in (project, project / "inner", tmp_path / "tree", other / "sub"):
        assert len(await commit_sha(root, "HEAD")) == 40, root
    assert (await run(project / "inner", "rev-parse", "--show-prefix"))[0] == b"inner/\n"


async def test_a_bare_repository_in_a_folder_is_files(project: Path) -> None:
    """It is read as files of the repository around it, and as nothing where there is none."""
    head = await commit_sha(project, "HEAD")
    bare = project / "inner"
    git(bare, "init", "-q", "--bare", ".")
    assert await commit_sha(bare, "HEAD") == head
    (project / ".git").rename(project / "gone")
    assert not has_repository(bare)
    with pytest.raises(ToolError, match="in no git repository"):
        await commit_sha(bare, "HEAD")


@pytest.mark.parametrize("back", ["", "/elsewhere/.git", "../../tree2/.git"])
def test_a_worktree_must_be_known_to_its_repository(project: Path, tmp_path: Path, back: str) -> None:
    """A `.git` file is believed when what it names names it in turn."""
    git(project, "worktree", "add", "-q", str(tmp_path / "tree"))
    (project / ".git" / "worktrees" / "tree" / "gitdir").write_text(back)
    with pytest.raises(ToolError, match="leads elsewhere"):
        git_folder(tmp_path / "tree")


async def test_made_up_history_is_not_shown(project: Path) -> None:
    """No commit that replaces another, no parents that a graft makes up; blame skips no revision."""
    commit(project, "Second", app_py="key = 2\n")
    head = git(project, "rev-parse", "HEAD")
    forged = git(project, "commit-tree", "-m", "forged", f"{head}^{{tree}}")
    git(project, "update-ref", f"refs/replace/{head}", forged)
    (project / ".git" / "info" / "grafts").write_text(f"{head} {forged}\n")
    (project / "revs").write_text("no revision\n")
    git(project, "config", "blame.ignoreRevsFile", "revs")
    git(project, "config", "core.worktree", "/")
    assert b"forged" not in (await run(project, "log", "--format=%B", "HEAD"))[0]
    assert (await blame(project, head, "app.py", 1, 1))[1][0].sha == head
