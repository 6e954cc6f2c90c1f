"""What git may fetch of a folder: a repository that lies in it, or what it shares with one within reach."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.adapters.checkouts import Checkout
from bot.adapters.checkouts.sealed_git import SealedGit
from bot.errors import ToolError
from bot.isolation.repository import remember_source
from bot.models.project import Repository
from bot.tools.git_folder import source_folder
from tests.tools.conftest import commit, git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A repository out of reach, beside the folder that is in reach."""
    there = tmp_path / "outside" / "sec"
    there.mkdir(parents=True)
    (tmp_path / "src").mkdir()
    git(there, "init", "-q", "-b", "main")
    commit(there, "one", inner_py="LIMIT = 99\n")
    return there


def _git_file(secret: Path, there: Path) -> None:
    there.mkdir()
    (there / ".git").write_text(f"gitdir: {secret / '.git'}\n")


def _git_link(secret: Path, there: Path) -> None:
    there.mkdir()
    (there / ".git").symlink_to(secret / ".git")


def _common(secret: Path, there: Path) -> None:
    (there / ".git").mkdir(parents=True)
    (there / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (there / ".git" / "commondir").write_text(f"{secret / '.git'}\n")


def _bare_common(secret: Path, there: Path) -> None:
    git(secret, "init", "-q", "--bare", str(there))
    (there / "commondir").write_text(f"{secret / '.git'}\n")


def _linked(part: str) -> Callable[[Path, Path], None]:
    def make(secret: Path, there: Path) -> None:
        git(secret, "clone", "-q", "--bare", "--no-local", ".", str(there))
        shutil.rmtree(there / part)
        (there / part).symlink_to(secret / ".git" / part)

    return make


def _pack_of_others(secret: Path, there: Path) -> None:
    git(secret, "repack", "-adq")
    git(secret, "init", "-q", "-b", "main", str(there))
    for pack in (secret / ".git" / "objects" / "pack").iterdir():
        (there / ".git" / "objects" / "pack" / pack.name).symlink_to(pack)


def _branch_of_others(secret: Path, there: Path) -> None:
    git(secret, "init", "-q", "-b", "main", str(there))
    (there / ".git" / "refs" / "heads" / "main").symlink_to(secret / ".git" / "refs" / "heads" / "main")


def _linked_folder(secret: Path, there: Path) -> None:
    there.symlink_to(secret)


def _behind_a_broken_one(secret: Path, there: Path) -> None:
    """`.git` passes for one by its names, git would take the folder around it."""
    git(secret, "clone", "-q", "--bare", "--shared", ".", str(there))
    for name in ("objects", "refs"):
        (there / ".git" / name).mkdir(parents=True)
    (there / ".git" / "HEAD").write_text("nothing\n")


def _beside(secret: Path, there: Path) -> None:
    """No repository, and git would look for one of the name with `.git`."""
    there.mkdir()
    there.with_name("made.git").symlink_to(secret / ".git")


AWAY = {
    "alternates": lambda secret, there: git(secret, "clone", "-q", "--shared", ".", str(there)),
    "bare alternates": lambda secret, there: git(secret, "clone", "-q", "--shared", "--bare", ".", str(there)),
    ".git file": _git_file,
    ".git link": _git_link,
    "worktree": lambda secret, there: git(secret, "worktree", "add", "-q", "--detach", str(there)),
    "commondir": _common,
    "bare commondir": _bare_common,
    "objects": _linked("objects"),
    "refs": _linked("refs"),
    "a pack": _pack_of_others,
    "a branch": _branch_of_others,
    "separate": lambda s, there: git(s, "clone", "-q", f"--separate-git-dir={s.parent / 'kept'}", ".", str(there)),
    "the folder": _linked_folder,
    "a broken one": _behind_a_broken_one,
    "beside": _beside,
}


async def fetched(tmp_path: Path, repository: Repository) -> str:
    """What there is of it after a fetch, or why there is nothing."""
    checkout = Checkout(
        folder=tmp_path / "checkouts" / "api",
        repository=repository,
        git=SealedGit(protocol="file"),
        keep=timedelta(hours=1),
        source=source_folder,
    )
    state = await checkout.fetch(datetime(2026, 11, 2, tzinfo=UTC), lambda _: None)
    inner = checkout.folder / "current" / "inner.py"
    return inner.read_text() if inner.exists() else state.problem


@pytest.mark.parametrize("way", AWAY)
async def test_what_lies_out_of_reach_is_not_fetched(tmp_path: Path, secret: Path, way: str) -> None:
    """By none of the ways in which git reads more than the folder that it is given; the reason is told."""
    there = tmp_path / "src" / "made"
    AWAY[way](secret, there)
    said = await fetched(tmp_path, Repository(url=f"file://{there}", below=(tmp_path / "src",)))
    assert "LIMIT" not in said
    assert ("elsewhere" in said) or ("projects_below" in said) or ("no git repository" in said) or ("fatal" in said)


def _worktree_within(secret: Path, there: Path) -> None:
    git(secret, "clone", "-q", "--no-local", ".", str(there.parent / "own"))
    git(there.parent / "own", "worktree", "add", "-q", "--detach", str(there))


WITHIN = {
    "plain": lambda secret, there: git(secret, "clone", "-q", "--no-local", ".", str(there)),
    "bare": lambda secret, there: git(secret, "clone", "-q", "--no-local", "--bare", ".", str(there)),
    "worktree": _worktree_within,
}


@pytest.mark.parametrize("way", WITHIN)
async def test_what_lies_within_reach_is_fetched(tmp_path: Path, secret: Path, way: str) -> None:
    """A folder with files, a bare one, a worktree of one; whatever its name."""
    there = tmp_path / "src" / "a b%20:#c"
    WITHIN[way](secret, there)
    assert await fetched(tmp_path, Repository(url=str(there), below=(tmp_path / "src",))) == "LIMIT = 99\n"


@pytest.mark.parametrize(
    "way",
    ["alternates", ".git link", *(pytest.param(o, marks=pytest.mark.long) for o in ("bare alternates", "separate"))],
)
async def test_the_settings_may_name_what_lies_elsewhere(tmp_path: Path, secret: Path, way: str) -> None:
    """As it is when they are read: objects that are lent later are not."""
    there = tmp_path / "src" / "made"
    AWAY[way](secret, there)
    remember_source(there)
    named = Repository(url=str(there))
    assert await fetched(tmp_path, named) == "LIMIT = 99\n"
    lent = (there if way.startswith("bare") else there / ".git") / "objects" / "info" / "alternates"
    if way.endswith("alternates"):
        lent.write_text(f"{tmp_path / 'outside' / 'other' / 'objects'}\n")
        with pytest.raises(ToolError, match="elsewhere"):
            source_folder(named)
