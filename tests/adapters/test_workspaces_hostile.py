"""Workspaces of repositories that do what they can to run something: no tripwire fires, and nothing else is written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bot import isolation
from bot.errors import ToolError, TriageError
from measure.attack.repositories import CANARY, COMMANDS, HOOKS, _setting, planted
from tests.adapters.workspace_bench import ANA, Bench, build_remote, git, work_repository

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.adapters.checkouts.workspaces import GitWorkspaces
    from bot.isolation import Mode
    from bot.models.workspace import WorkRepository

_RECEIVING_HOOKS = (
    *("pre-receive", "update", "post-receive", "post-update", "reference-transaction", "proc-receive"),
    *("push-to-checkout", "pre-push", "pre-auto-gc", "post-index-change"),
)


@pytest.fixture
def bench(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Bench]:
    """Workspaces without the boundary of the operating system, unless a test asks for it: git alone must hold."""
    mode: Mode = getattr(request, "param", "off")
    isolation.configure(mode)
    (tmp_path / "trips").mkdir(exist_ok=True)
    yield Bench(folder=tmp_path)
    isolation.configure("auto")


def trips(bench: Bench) -> list[str]:
    """Return the tripwires that fired."""
    return sorted(path.name for path in (bench.folder / "trips").iterdir())


def plant_settings(config: Path, trips: Path) -> None:
    """Add every setting whose value git would run."""
    with config.open("a") as file:
        file.write("".join(_setting(key, f"touch {trips}/{key.replace('.', '-')}; cat") for key in COMMANDS))
        file.write(f"[include]\n\tpath = {trips.parent}/outside/config\n[core]\n\thooksPath = hooks\n")


def plant_hooks(hooks: Path, trips: Path) -> None:
    """Add every hook."""
    hooks.mkdir(exist_ok=True)
    for name in {*HOOKS, *_RECEIVING_HOOKS}:
        (hooks / name).write_text(f"#!/bin/sh\ntouch {trips}/hook-{name}\n")
        (hooks / name).chmod(0o755)


async def do_everything(workspaces: GitWorkspaces, repository: WorkRepository, slug: str) -> list[str]:
    """Call everything that works on a branch; return the refusals."""
    refusals = []
    calls = (
        lambda: workspaces.status(repository, slug),
        lambda: workspaces.diff(repository, slug),
        lambda: workspaces.diff(repository, slug, base="main"),
        lambda: workspaces.commit(repository, slug, "Mend it", author=ANA, task="shop-mend"),
        lambda: workspaces.log(repository, f"triage/{slug}"),
        lambda: workspaces.branches(repository),
        lambda: workspaces.plan_merge(repository, slug),
        lambda: workspaces.plan_push(repository, slug),
    )
    for call in calls:
        try:
            await call()
        except TriageError as problem:
            refusals.append(str(problem))
    try:
        await workspaces.merge(repository, await workspaces.plan_merge(repository, slug), author=ANA)
    except TriageError as problem:
        refusals.append(str(problem))
    return refusals


@pytest.mark.parametrize(("bench", "kind"), [("auto", "clone"), ("off", "link")], indirect=["bench"])
async def test_a_hostile_source_runs_nothing(bench: Bench, kind: str) -> None:
    """Its settings, hooks, attributes, submodules, names and links: each would leave a file."""
    shutil.rmtree(bench.folder / "trips")
    root, count = planted(bench.folder)
    git(
        root, "config", "--file", ".git/config", "--unset-all", "core.worktree"
    )  # with it the boundary stops git itself
    before = sorted(str(path) for path in root.rglob("*"))
    repository, workspaces = work_repository(root, kind=kind), bench.build()  # type: ignore[arg-type]  # of the parameters
    workspace = await workspaces.prepare(repository, "fix")
    (workspace.folder / "app_py").write_text("key = 3\n")
    refusals = await do_everything(workspaces, repository, "fix")
    assert count > 60
    assert trips(bench) == []
    assert len(refusals) == 1
    assert sorted(str(path) for path in root.rglob("*")) == before
    assert git(workspace.folder, "log", "-1", "--format=%s", "triage/fix") == "Mend it"


async def test_a_hostile_worktree_runs_nothing_and_shows_nothing_from_outside(bench: Bench) -> None:
    """As a program may leave it: another `.git`, a repository within, links, a pipe, attributes."""
    repository, workspaces = work_repository(build_remote(bench.folder, a="one\n", b="one\n")), bench.build()
    workspace = await workspaces.prepare(repository, "fix")
    outside, wires, folder = bench.folder / "outside", bench.folder / "trips", workspace.folder
    outside.mkdir()
    for name in ("secret", "a"):
        (outside / name).write_text(f"{CANARY}\n")
    (outside / "config").write_text(f"[core]\n\tfsmonitor = touch {wires}/included\n")
    (folder / ".git").unlink()
    git(folder, "init", "-q")
    within = folder / "within"
    within.mkdir()
    git(within, "init", "-q")
    git(within, "commit", "-qm", "x", "--allow-empty")
    for top in (folder, within):
        plant_settings(top / ".git" / "config", wires)
        plant_hooks(top / ".git" / "hooks", wires)
    (folder / ".gitattributes").write_text("* diff=evil filter=evil merge=evil working-tree-encoding=UTF-16 ident\n")
    (folder / ".gitmodules").write_text(f'[submodule "within"]\n\tpath = within\n\turl = ext::touch {wires}/sub\n')
    (folder / "b").unlink()
    (folder / "b").symlink_to(outside / "secret")
    (folder / "far").symlink_to(outside)
    os.mkfifo(folder / "pipe")
    (folder / "--output=x").write_text("x\n")
    deep = folder
    for _ in range(60):
        deep /= "d"
    deep.mkdir(parents=True)
    (deep / "e").write_text("x\n")
    refusals = await do_everything(workspaces, repository, "fix")
    assert trips(bench) == []
    assert len(refusals) == 0
    status = await workspaces.status(repository, "fix")
    assert (status.uncommitted, status.left_out) == ((), ("within/",))
    diff = await workspaces.diff(repository, "fix")
    assert CANARY not in diff.text.replace(str(outside), "")
    assert {change.path for change in diff.files} >= {"b", "far", "--output=x", ".gitattributes"}
    assert not any(change.path.startswith(("far/", "within")) for change in diff.files)
    assert (folder / ".git").is_file()


async def test_a_tracked_folder_that_becomes_a_link_is_not_followed(bench: Bench) -> None:
    """The link takes the place of its files; what it leads to is not read."""
    remote = build_remote(bench.folder, a="one\n")
    people = bench.folder / "people"
    (people / "dir").mkdir()
    (people / "dir" / "secret").write_text("tracked\n")
    git(people, "add", "-A")
    git(people, "commit", "-qm", "dir")
    git(people, "push", "-q", "origin", "main")
    repository, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(repository, "fix")
    outside = bench.folder / "outside"
    outside.mkdir()
    (outside / "secret").write_text(f"{CANARY}\n")
    shutil.rmtree(workspace.folder / "dir")
    (workspace.folder / "dir").symlink_to(outside)
    committed = await workspaces.commit(repository, "fix", "x", author=ANA)
    assert committed
    assert [(change.status, change.path) for change in committed.files] == [("added", "dir"), ("deleted", "dir/secret")]
    assert CANARY not in (await workspaces.diff(repository, "fix")).text


@pytest.mark.parametrize("bench", ["auto", "off"], indirect=True)
async def test_a_hostile_remote_runs_nothing_when_it_is_pushed_to(bench: Bench) -> None:
    """Neither its hooks nor its settings; the branch arrives."""
    remote = build_remote(bench.folder)
    plant_settings(remote / "config", bench.folder / "trips")
    plant_hooks(remote / "hooks", bench.folder / "trips")
    with (remote / "config").open("a") as config:
        config.write("[receive]\n\tprocReceiveRefs = refs/for\n\tdenyCurrentBranch = updateInstead\n\tautogc = true\n")
        config.write("[gc]\n\tauto = 1\n")
    repository, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(repository, "fix")
    (workspace.folder / "a").write_text("two\n")
    await workspaces.commit(repository, "fix", "x", author=ANA)
    plan = await workspaces.plan_push(repository, "fix")
    await workspaces.push(repository, plan)
    assert trips(bench) == []
    assert git(remote, "rev-parse", "triage/fix") == plan.sha


async def test_a_remote_with_links_is_not_written(bench: Bench) -> None:
    """They could lead a push to another place."""
    remote = build_remote(bench.folder)
    repository, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(repository, "fix")
    (workspace.folder / "a").write_text("two\n")
    await workspaces.commit(repository, "fix", "x", author=ANA)
    plan = await workspaces.plan_push(repository, "fix")
    outside = bench.folder / "outside"
    outside.mkdir()
    (remote / "refs" / "heads" / "triage").symlink_to(outside)
    for call in (workspaces.plan_push(repository, "fix"), workspaces.push(repository, plan)):
        with pytest.raises(ToolError, match="links"):
            await call
    assert [*outside.iterdir()] == []


async def test_a_lfs_pointer_stays_a_pointer(bench: Bench) -> None:
    """It is committed, compared and pushed as the text that it is."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12\n"
    remote = build_remote(bench.folder, big=pointer, **{".gitattributes": "big filter=lfs diff=lfs merge=lfs -text\n"})
    repository, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(repository, "fix")
    assert (workspace.folder / "big").read_text() == pointer
    (workspace.folder / "big").write_text(pointer.replace("12", "13"))
    committed = await workspaces.commit(repository, "fix", "x", author=ANA)
    assert committed
    assert "+size 13" in (await workspaces.diff(repository, "fix")).text


async def test_a_git_folder_in_place_of_the_mark_is_set_aside(bench: Bench) -> None:
    """It may hold somebody's history: it is kept, shown, counted as a loss of a removal, and work goes on."""
    repository, workspaces = work_repository(build_remote(bench.folder)), bench.build()
    folder = (await workspaces.prepare(repository, "fix")).folder
    for kind in ("folder", "link", "file"):
        (folder / ".git").unlink()
        if kind == "folder":
            git(folder, "init", "-q")
            git(folder, "commit", "-qm", "theirs", "--allow-empty")
        elif kind == "link":
            (folder / ".git").symlink_to(bench.folder)
        else:
            (folder / ".git").write_text("theirs\n")
        assert (await workspaces.status(repository, "fix")).uncommitted == ()
        assert git(folder, "rev-parse", "--abbrev-ref", "HEAD") == "triage/fix"
    kept = [Path(path) for path in (await workspaces.status(repository, "fix")).set_aside]
    assert git(kept[0], "log", "--format=%s") == "theirs"
    assert (kept[1].readlink(), kept[2].read_text()) == (bench.folder, "theirs\n")
    (loss,) = await workspaces.find_losses(repository)
    assert loss.left_out == tuple(map(str, kept))


async def test_a_mark_of_a_home_that_was_moved_is_written_again(bench: Bench) -> None:
    """It holds nothing to keep."""
    repository, workspaces = work_repository(build_remote(bench.folder)), bench.build()
    folder = (await workspaces.prepare(repository, "fix")).folder
    mark = (folder / ".git").read_text()
    (folder / ".git").write_text("gitdir: /old/home/worktrees/fix\n")
    assert (await workspaces.status(repository, "fix")).set_aside == ()
    assert (folder / ".git").read_text() == mark


async def test_a_repository_with_a_link_in_place_of_a_workspace_is_removed_without_what_it_leads_to(
    bench: Bench,
) -> None:
    """The loss says why the files could not be compared."""
    repository, workspaces = work_repository(build_remote(bench.folder)), bench.build()
    folder = (await workspaces.prepare(repository, "fix")).folder
    people = bench.folder / "people"
    shutil.rmtree(folder)
    folder.symlink_to(people)
    before = sorted(str(path) for path in people.rglob("*"))
    (loss,) = await workspaces.find_losses(repository)
    assert "is a link or a file" in loss.problem
    await workspaces.remove(repository, losses=(loss,))
    assert not folder.parent.exists()
    assert sorted(str(path) for path in people.rglob("*")) == before
