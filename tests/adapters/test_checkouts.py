"""A repository as a folder of the bot's own: real git on a real disk, and a repository that is hostile."""

from __future__ import annotations

import asyncio
import os
import subprocess
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.adapters import checkouts
from bot.adapters.checkouts import Checkout, read_state, sealed_git
from bot.adapters.checkouts.sealed_git import GitError, SealedGit
from bot.models.project import Repository
from bot.tools import commits
from bot.tools.git_folder import source_folder
from tests.fakes import ignore

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def git(root: Path, *arguments: str) -> str:
    who = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b.c",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b.c",
    }
    env = {**os.environ, **who, "GIT_CONFIG_GLOBAL": "/dev/null"}
    done = subprocess.run(["git", *arguments], cwd=root, env=env, check=True, capture_output=True)  # noqa: S607  # a test's own
    return done.stdout.decode().strip()


def commit(root: Path, **files: str) -> str:
    for name, text in files.items():
        (root / name).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "more", "--allow-empty")
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    root = tmp_path / "origin"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    commit(root, a="one\n")
    return root


def checkout(tmp_path: Path, origin: Path, patience: float = 2.0, **given: object) -> Checkout:
    repository = Repository.model_validate({"url": str(origin), **given})
    made = SealedGit(protocol=repository.protocol, patience=patience)
    return Checkout(
        folder=tmp_path / "checkouts" / "api", repository=repository, git=made, keep=HOUR, source=source_folder
    )


async def test_a_tree_stays_as_it_is_while_somebody_may_read_it(tmp_path: Path, origin: Path) -> None:
    """A newer commit is another folder; the older one goes when its time is over."""
    made = checkout(tmp_path, origin)
    first = await made.fetch(NOW, ignore)
    read = (made.folder / "current").resolve()
    assert (first.problem, (read / "a").read_text()) == ("", "one\n")

    newer = commit(origin, a="two\n")
    second = await made.fetch(NOW + HOUR, ignore)
    assert second.commit == newer
    assert ((read / "a").read_text(), (made.folder / "current" / "a").read_text()) == ("one\n", "two\n")
    assert git((made.folder / "current").resolve(), "rev-parse", "HEAD") == newer

    await made.fetch(NOW + 2 * HOUR, ignore)
    assert not read.exists()


@pytest.mark.parametrize(("patience", "is_told"), [(0.0, True), (600.0, False)])
async def test_progress_is_reported_once_a_fetch_takes_long(
    tmp_path: Path, origin: Path, patience: float, is_told: bool
) -> None:
    """A quick one says nothing."""
    heard: list[str] = []
    await checkout(tmp_path, origin, patience=patience).fetch(NOW, heard.append)
    assert any("%" in line for line in heard) is is_told


async def test_a_branch_that_goes_back_finds_its_tree_again(tmp_path: Path, origin: Path) -> None:
    """A force-push to the commit of before shows that one, whole."""
    made = checkout(tmp_path, origin)
    await made.fetch(NOW, ignore)
    older = git(origin, "rev-parse", "HEAD")
    commit(origin, a="two\n")
    await made.fetch(NOW, ignore)
    git(origin, "reset", "-q", "--hard", older)
    assert (await made.fetch(NOW, ignore)).commit == older
    assert (made.folder / "current" / "a").read_text() == "one\n"
    assert (await made.fetch(NOW + 2 * HOUR, ignore)).commit == older
    assert (made.folder / "current" / "a").read_text() == "one\n"


async def test_what_cannot_be_fetched_keeps_its_state_and_says_since_when(tmp_path: Path, origin: Path) -> None:
    """The tree, its commit and the time of the last fetch stay; the problem is said beside them."""
    made = checkout(tmp_path, origin)
    first = await made.fetch(NOW, ignore)
    origin.rename(tmp_path / "gone")
    state = await made.fetch(NOW + HOUR, ignore)
    assert (state.commit, state.at) == (first.commit, NOW)
    assert state.problem
    assert read_state(made.folder) == state
    assert (made.folder / "current" / "a").read_text() == "one\n"


async def test_what_was_never_fetched_has_no_commit(tmp_path: Path) -> None:
    """Then there is no state either."""
    made = checkout(tmp_path, tmp_path / "nowhere")
    assert (await made.fetch(NOW, ignore)).commit == ""
    assert read_state(made.folder) is None


async def test_a_start_takes_away_what_a_kill_left_once_nobody_can_read_it(tmp_path: Path, origin: Path) -> None:
    """A run that outlived the bot may read an older tree; the one that `current` shows stays."""
    made = checkout(tmp_path, origin)
    first = await made.fetch(NOW, ignore)
    half = made.folder / "trees" / ("0" * 40)
    half.mkdir()
    again = checkout(tmp_path, origin)
    assert again.begin(NOW) == first
    await again.fetch(NOW + HOUR / 2, ignore)
    assert half.is_dir()
    await again.fetch(NOW + HOUR, ignore)
    assert [tree.name for tree in (made.folder / "trees").iterdir()] == [first.commit]


LEFT_BY_A_KILL = {
    "refs/triage/head.lock": b"",
    "worktrees/{commit}/locked": b"initializing",
    "objects/pack/tmp_pack_a1b2c3": bytes(3_000_000),
}


@pytest.mark.parametrize("left", LEFT_BY_A_KILL)
async def test_a_git_that_was_killed_stops_no_later_one(tmp_path: Path, origin: Path, left: str) -> None:
    """Its lock, its half-made tree and its half-fetched pack are taken away before the next one."""
    made = checkout(tmp_path, origin, max_mb=1)
    await made.fetch(NOW, lambda _: None)
    newest = commit(origin, a="two\n")
    clone = made.folder / "repository.git"
    git(clone, "fetch", "-q", str(origin), "main")
    git(clone, "worktree", "add", "-q", "--detach", str(made.folder / "trees" / newest), newest)
    (clone / left.format(commit=newest)).write_bytes(LEFT_BY_A_KILL[left])
    again = checkout(tmp_path, origin, max_mb=1)
    again.begin(NOW)
    found = await again.fetch(NOW, lambda _: None)
    assert (found.commit, found.problem) == (newest, "")
    assert (again.folder / "current" / "a").read_text() == "two\n"


async def test_a_clock_that_is_set_back_takes_no_tree_from_its_readers(tmp_path: Path, origin: Path) -> None:
    """The tree stays as long as it would have, from the time that it is now."""
    made = checkout(tmp_path, origin)
    before = (await made.fetch(NOW, lambda _: None)).commit
    commit(origin, a="two\n")
    await made.fetch(NOW, lambda _: None)
    back = NOW - 10 * HOUR
    await made.fetch(back, lambda _: None)
    assert (made.folder / "trees" / before).is_dir()
    await made.fetch(back + HOUR, lambda _: None)
    assert not (made.folder / "trees" / before).exists()


async def test_nothing_in_a_repository_is_run(tmp_path: Path, origin: Path) -> None:
    """No hook, no filter, no submodule; a link is a file that holds its text, and line ends stay as committed."""
    mark = tmp_path / "mark"
    hook = origin / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    (origin / "link").symlink_to("/etc/passwd")
    (origin / ".gitmodules").write_text('[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch /nowhere"\n')
    commit(
        origin,
        **{
            ".gitattributes": "* text eol=crlf filter=evil ident\n",
            ".gitconfig": f'[filter "evil"]\nsmudge = touch {mark}\n',
        },
    )
    made = checkout(tmp_path, origin)
    assert (await made.fetch(NOW, ignore)).problem == ""
    tree = made.folder / "current"
    assert not (tree / "link").is_symlink()
    assert (tree / "link").read_text() == "/etc/passwd"
    assert (tree / "a").read_bytes() == b"one\n"
    assert not mark.exists()


async def test_the_changes_of_a_fetched_commit_are_shown_as_text(tmp_path: Path, origin: Path) -> None:
    """Whatever the attributes of the repository make of its files."""
    newest = commit(origin, a="two\n", **{".gitattributes": "* binary\n"})
    made = checkout(tmp_path, origin)
    await made.fetch(NOW, ignore)
    change = await commits.change((made.folder / "current").resolve(), newest)
    assert "-one\n+two\n" in change.diff


async def test_a_repository_that_is_too_large_is_refused(tmp_path: Path, origin: Path) -> None:
    """By what its files would take when they are written, however small they are packed."""
    commit(origin, big="x" * 3_000_000)
    state = await checkout(tmp_path, origin, max_mb=2).fetch(NOW, ignore)
    assert (state.commit, state.problem) == ("", "its files take 3 MB, more than max_mb (2)")


async def test_a_branch_of_its_own_is_fetched(tmp_path: Path, origin: Path) -> None:
    """And a branch that is not there is a problem with its name in it."""
    git(origin, "branch", "release")
    commit(origin, a="two\n")
    made = checkout(tmp_path, origin, branch="release")
    await made.fetch(NOW, ignore)
    assert (made.folder / "current" / "a").read_text() == "one\n"
    assert "nowhere" in (await checkout(tmp_path, origin, branch="nowhere").fetch(NOW, ignore)).problem


async def test_only_the_protocol_of_the_address_is_spoken(tmp_path: Path, origin: Path) -> None:
    """An address of another kind is refused by git itself."""
    with pytest.raises(GitError, match="not allowed"):
        await SealedGit(protocol="https").run("ls-remote", str(origin), cwd=tmp_path)


async def test_what_a_server_says_commands_no_terminal(tmp_path: Path) -> None:
    """Its words come as plain text, however it coloured them."""
    said = r"alias.tell=!printf 'remote: \033[2J\033]0;x\007gone\n' >&2; exit 1"
    with pytest.raises(GitError, match=r"^remote: \[2J \]0;x gone$"):
        await SealedGit(protocol="file").run("-c", said, "tell", cwd=tmp_path)


async def test_a_token_is_in_no_message(tmp_path: Path) -> None:
    """Not even where git repeats what it was given, as it is or in base64."""
    token = "-".join(("made", "up", "token"))
    made = SealedGit(protocol="https", token=token)
    with pytest.raises(GitError) as failed:
        await made.run("rev-parse", "--verify", f"{token}/{made._basic()}", cwd=tmp_path)
    assert token not in str(failed.value)
    assert made._basic() not in str(failed.value)
    told = await made.run("config", "--get", "http.extraHeader", cwd=tmp_path)
    assert made._basic() in told


async def test_too_many_files_are_refused(tmp_path: Path, origin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted before any is written; also where even their names are more than is read."""
    commit(origin, b="two\n", c="three\n")
    monkeypatch.setattr(checkouts, "MOST_FILES", 2)
    made = checkout(tmp_path, origin)
    assert "too many to be searched" in ((await made.fetch(NOW, print)).problem or "")
    monkeypatch.setattr(checkouts, "MOST_FILES", 3)
    monkeypatch.setattr(sealed_git, "MOST_SAID", 60)
    assert "too many to be searched" in ((await made.fetch(NOW, print)).problem or "")
    monkeypatch.undo()
    assert not (await made.fetch(NOW, print)).problem


async def test_a_git_that_says_too_much_is_ended_whatever_its_pipes_hold() -> None:
    """Nobody reads its full pipe any more, so that asyncio alone would wait for its end for ever."""
    child = await asyncio.create_subprocess_exec(
        "yes", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True
    )
    assert child.stdout
    errors = asyncio.sleep(0, "")
    work = asyncio.gather(sealed_git._read(child.stdout, 1_000), errors, child.wait(), asyncio.sleep(0))
    with pytest.raises(sealed_git.OutputTooLarge):
        await work
    async with asyncio.timeout(10):
        while not child.stdout._paused:  # type: ignore[attr-defined]  # noqa: ASYNC110  # asyncio's own; nothing tells
            await asyncio.sleep(0)
        await sealed_git._end(child, work)
    assert child.returncode
