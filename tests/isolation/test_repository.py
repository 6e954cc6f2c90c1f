"""The folders of git of a project: wherever they lie when they are found, and not where they are said to lie later."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bot.errors import ToolError
from bot.isolation.repository import folders_of, recall_folders, remember
from bot.tools import git
from tests.tools.conftest import commit
from tests.tools.conftest import git as run_git


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A repository with a commit."""
    root = tmp_path / "main"
    root.mkdir()
    run_git(root, "init", "-q", "-b", "main")
    commit(root, "one", a_py="x = 1\n", app__b_py="y = 1\n")
    return root


def as_worktree(main: Path, there: Path) -> None:
    run_git(main, "worktree", "add", "-q", "--detach", str(there))


def as_clone_with_alternates(main: Path, there: Path) -> None:
    run_git(main.parent, "clone", "-q", "--shared", str(main), str(there))


def as_alternates_of_alternates(main: Path, there: Path) -> None:
    run_git(main.parent, "clone", "-q", "--shared", str(main), str(main.parent / "between"))
    run_git(main.parent, "clone", "-q", "--shared", str(main.parent / "between"), str(there))


def as_folder_elsewhere(main: Path, there: Path) -> None:
    run_git(main.parent, "clone", "-q", f"--separate-git-dir={main.parent / 'kept.git'}", str(main), str(there))


def as_worktree_behind_a_link(main: Path, there: Path) -> None:
    (main.parent / "link").symlink_to(main)
    as_worktree(main, there)
    named = (there / ".git").read_text().replace(str(main), str(main.parent / "link"))
    (there / ".git").write_text(named)


def as_it_is(main: Path, there: Path) -> None:
    shutil.copytree(main, there)


@pytest.mark.parametrize(
    "make",
    [
        as_it_is,
        as_worktree,
        as_worktree_behind_a_link,
        as_clone_with_alternates,
        as_alternates_of_alternates,
        as_folder_elsewhere,
    ],
)
@pytest.mark.parametrize("below", [".", "app"])
async def test_git_reads_a_repository_whose_folders_lie_elsewhere(main: Path, make: object, below: str) -> None:
    """A worktree, lent objects, a git folder of its own: at the top and in a folder of it, as the settings found it."""
    there = main.parent / "there"
    make(main, there)  # type: ignore[operator]  # one of the functions above
    remember(there / below)
    sha = await git.commit_sha(there / below, "HEAD")
    assert sha == run_git(main, "rev-parse", "HEAD")
    assert (await git.lines_at(there / "app", sha, "b.py"))[1] == ("y = 1",)


@pytest.mark.parametrize("make", [as_clone_with_alternates, as_folder_elsewhere])
async def test_what_the_settings_never_named_is_read_where_it_names_the_project_in_turn(
    main: Path, make: object
) -> None:
    """Lent objects and a git folder elsewhere do not: a project that a command made of one has no commits."""
    there = main.parent / "there"
    make(main, there)  # type: ignore[operator]  # as above
    with pytest.raises(ToolError, match="leads elsewhere"):
        await git.commit_sha(there, "HEAD")


async def test_what_a_repository_names_later_is_not_read(main: Path, tmp_path: Path) -> None:
    """Its `.git` may become a file that names another folder, its objects may be said to lie elsewhere: nothing new."""
    remember(main)
    other = tmp_path / "other"
    other.mkdir()
    run_git(other, "init", "-q", "-b", "main")
    theirs = commit(other, "theirs", other_py="x = 2\n")
    lent = main / ".git" / "objects" / "info" / "alternates"
    lent.write_text(f"{other / '.git' / 'objects'}\n")
    remember(main)
    with pytest.raises(ToolError, match="leads elsewhere"):
        await git.commit_sha(main, theirs)
    lent.unlink()
    (main / ".git").rename(main / "was")
    (main / ".git").write_text(f"gitdir: {other / '.git'}\n")
    with pytest.raises(ToolError, match="leads elsewhere"):
        await git.commit_sha(main, theirs)


@pytest.mark.parametrize(
    "files",
    [
        {".git": "gitdir: /etc\n"},
        {".git": "gitdir: {home}\n"},
        {".git/HEAD": "ref: refs/heads/main\n", ".git/commondir": "{home}\n"},
        {".git": "gitdir: \0\n"},
        {".git": "x" * 100_000},
    ],
)
def test_a_folder_that_is_no_git_folder_is_granted_to_nobody(tmp_path: Path, files: dict[str, str]) -> None:
    """Whatever `.git` and `commondir` say, and though the settings name it: no home, no system folder."""
    home, root = tmp_path / "home", tmp_path / "project"
    for folder in (home / ".ssh", root):
        folder.mkdir(parents=True)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text.replace("{home}", str(home)))
    remember(root)
    assert folders_of(root) == recall_folders(root) == ()
