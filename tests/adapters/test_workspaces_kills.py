"""Workspaces whose process ends between two steps of git, or in the middle of one: the next one goes on."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from bot import isolation
from bot.runtime import failpoints
from tests.adapters.workspace_bench import ANA, Bench, build_remote, git, work_repository
from tests.kills import Killed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from bot.models.workspace import WorkRepository

_STEPS = (
    "init",
    "symbolic-ref",
    "fetch",
    "update-ref",
    "worktree",
    "update-index",
    "write-tree",
    "commit-tree",
    "push",
)
_COUNT = 32
"""Number of these steps in the whole work."""
_SHORT = (8, 11, 14, 22, 32)


@pytest.fixture(autouse=True)
def _without_boundary() -> Iterator[None]:
    isolation.configure("off")
    yield
    failpoints.arm(None)
    isolation.configure("auto")


async def work(bench: Bench, shop: WorkRepository) -> None:
    """Do the whole work of a branch, as a person does who looks first at what is there."""
    workspaces = bench.build()
    workspace = await workspaces.prepare(shop, "fix")
    (workspace.folder / "a").write_text("two\n")
    await workspaces.commit(shop, "fix", "Mend it", author=ANA, task="shop-mend")
    await workspaces.push(shop, await workspaces.plan_push(shop, "fix"))
    plan = await workspaces.plan_merge(shop, "fix")
    if plan.commits:
        await workspaces.merge(shop, plan, author=ANA)


def count_steps(end_before: int) -> list[str]:
    """Count git's steps that change something from now on; the process ends before one of them."""
    steps: list[str] = []

    def watch(point: str, _: str) -> AbstractContextManager[None]:
        name = point.removeprefix("git.")
        if name in _STEPS:
            steps.append(name)
            if len(steps) == end_before:
                raise Killed
        return nullcontext()

    failpoints.arm(watch)
    return steps


def check_result(bench: Bench, remote: Path) -> None:
    """Check that everything was committed, and nothing twice."""
    (clone,) = (bench.folder / "home/checkouts/.work").glob("shop-*/repository.git")
    assert git(remote, "log", "--format=%s", "triage/fix") == "Mend it\nfirst"
    assert git(remote, "rev-parse", "triage/fix") == git(clone, "rev-parse", "triage/fix")
    assert git(clone, "log", "--format=%s", "--first-parent", "main") == "Merge branch 'triage/fix'\nfirst"
    assert git(clone, "fsck", "--no-dangling", "--no-progress") == ""
    (tree,) = clone.parent.glob("trees/*/")
    assert git(tree, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    "step", [pytest.param(n, marks=[] if n in _SHORT else [pytest.mark.long]) for n in range(1, _COUNT + 1)]
)
async def test_an_end_before_any_step_loses_and_repeats_nothing(tmp_path: Path, step: int) -> None:
    """The same work, given again to a new process, ends as if nothing had happened."""
    remote, bench = build_remote(tmp_path), Bench(folder=tmp_path)
    shop = work_repository(remote)
    steps = count_steps(step)
    with pytest.raises(Killed):
        await work(bench, shop)
    assert len(steps) == step
    failpoints.arm(None)
    await work(bench, shop)
    check_result(bench, remote)


async def test_the_steps_are_all_counted(tmp_path: Path) -> None:
    """No step of the work comes after the last one at which it was ended."""
    remote, bench = build_remote(tmp_path), Bench(folder=tmp_path)
    steps = count_steps(0)
    await work(bench, work_repository(remote))
    assert len(steps) == _COUNT
    check_result(bench, remote)


async def test_an_end_after_the_push_was_taken_finds_it_there(tmp_path: Path) -> None:
    """The answer of the remote is lost: the plan of before is committed, and a new one has nothing to push."""
    remote, bench = build_remote(tmp_path), Bench(folder=tmp_path)
    shop, workspaces = work_repository(remote), bench.build()
    workspace = await workspaces.prepare(shop, "fix")
    (workspace.folder / "a").write_text("two\n")
    await workspaces.commit(shop, "fix", "x", author=ANA)
    plan = await workspaces.plan_push(shop, "fix")
    (clone,) = (bench.folder / "home/checkouts/.work").glob("shop-*/repository.git")
    git(clone, "push", "-q", str(remote), "triage/fix")
    again = bench.build()
    assert (await again.plan_push(shop, "fix")).remote_sha == plan.sha
    await again.push(shop, plan)


_LEFT = (
    *("repository.git/refs/heads/triage/fix.lock", "repository.git/packed-refs.lock", "repository.git/config.lock"),
    *("repository.git/worktrees/fix/index.lock", "repository.git/worktrees/fix/HEAD.lock"),
    *("repository.git/objects/pack/tmp_pack_a1", "repository.git/refs/remotes/origin/main.lock"),
)


async def test_what_a_killed_git_leaves_stops_no_later_one(tmp_path: Path) -> None:
    """Locks and halves of packs are removed, and the files of the person stay."""
    remote, bench = build_remote(tmp_path), Bench(folder=tmp_path)
    shop = work_repository(remote)
    workspace = await bench.build().prepare(shop, "fix")
    (workspace.folder / "mine").write_text("x\n")
    for path in _LEFT:
        (workspace.folder.parent.parent / path).write_bytes(b"")
    await work(bench, shop)
    assert (workspace.folder / "mine").read_text() == "x\n"
    check_result(bench, remote)


async def test_a_worktree_that_was_never_complete_is_made_again(tmp_path: Path) -> None:
    """Git was killed while it wrote the files: nobody has worked there yet."""
    remote, bench = build_remote(tmp_path, a="one\n", b="one\n"), Bench(folder=tmp_path)
    shop = work_repository(remote)
    workspace = await bench.build().prepare(shop, "fix")
    home = workspace.folder.parent.parent
    (workspace.folder / "b").unlink()
    (home / "repository.git/worktrees/fix/index").unlink()
    (home / "repository.git/worktrees/fix/locked").write_text("initializing")
    again = await bench.build().prepare(shop, "fix")
    assert sorted(path.name for path in again.folder.iterdir()) == [".git", "a", "b"]
