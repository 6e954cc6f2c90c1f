"""Two that want one workspace, with real programs and real git: never at once."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.decide.redaction.redactor import Redactor
from bot.errors import ToolError
from bot.models.declared_command import DeclaredCheck
from bot.models.program_run import ProgramTask
from bot.programs.project_check import ProjectChecks
from bot.runtime.program_folder import ProgramFolder
from bot.runtime.program_process import ProgramProcess
from tests.adapters.workspace_bench import ANA, Bench, build_remote, git, work_repository
from tests.health.bench import SECONDS, pipe

_BUSY = "a program or git works in the workspace of fix: wait until it has ended"
_ALONE = "test ! -e in || exit 9; touch in; sleep 0.2; rm in"
"""Ends with 9 if another one is within."""


def build_process(home: Path, name: str, workspace: Path, *argv: str, writes: bool = True) -> ProgramProcess:
    """A run of a declared command that gives up at once."""
    folder = ProgramFolder(home / "runs" / name)
    at = datetime(2026, 1, 5, tzinfo=UTC)
    own: dict[str, Any] = {"cwd": workspace, "workspace": workspace, "writes": writes, "timeout_s": SECONDS, "at": at}
    folder.save_task(ProgramTask(run_id=name, name="make", argv=argv, **own))
    return ProgramProcess(folder=folder, environment={"PATH": os.environ["PATH"]}, lock_patience=0.0)


async def run(process: ProgramProcess) -> tuple[str, str]:
    """Its outcome and the reason."""
    await process.run()
    end = process.folder.read_end()
    assert end is not None
    return end.outcome, end.problem


async def check(workspace: Path, script: str = "true", *, patience: float = 0.0) -> tuple[int | None, str]:
    """The exit code of a check of the project, and the reason for none."""
    checks = ProjectChecks(environment={"PATH": os.environ["PATH"]}, redactor=Redactor(()), lock_patience=patience)
    declared = DeclaredCheck(argv=("sh", "-c", script), timeout_s=SECONDS, reads=())
    report = await checks.run(declared, workspace)
    return report.exit_code, report.problem


@contextmanager
def program_within(home: Path, workspace: Path, *, writes: bool = True) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program in the workspace, in a process as the bot starts it, until the end of the block."""
    (pipes := home / "pipes").mkdir(exist_ok=True)
    started, go = pipe(pipes / "started"), pipe(pipes / "go")
    script = f"echo > {pipes}/started; read _ < {pipes}/go"
    process = build_process(home, "holder", workspace, "sh", "-c", script, writes=writes)
    child = subprocess.Popen([sys.executable, "-m", "bot.runtime.program_process", str(process.folder.path)])
    try:
        with started.open() as opened:
            assert opened.read() == "\n"
        yield child
    finally:
        if child.poll() is None:
            go.write_text("\n")
        child.wait(SECONDS)


async def test_while_a_program_writes_nothing_else_works_in_its_workspace(tmp_path: Path) -> None:
    """Each gets a word, and works after the program; looking is always possible, and so is another workspace."""
    shop = work_repository(build_remote(tmp_path))
    workspaces = Bench(folder=tmp_path).build()
    tree = (await workspaces.prepare(shop, "fix")).folder
    other = (await workspaces.prepare(shop, "other")).folder
    (tree / "a").write_text("two\n")
    assert await workspaces.commit(shop, "fix", "Mend it", author=ANA)
    (tree / "a").write_text("three\n")
    push, merge = await workspaces.plan_push(shop, "fix"), await workspaces.plan_merge(shop, "fix")
    works: tuple[Callable[[], Awaitable[object]], ...] = (
        lambda: workspaces.push(shop, push),
        lambda: workspaces.merge(shop, merge, author=ANA),
        lambda: workspaces.commit(shop, "fix", "Mend more", author=ANA),
    )
    removals: tuple[Callable[[], Awaitable[object]], ...] = (
        lambda: workspaces.remove(shop),
        lambda: workspaces.remove_project("shop"),
    )
    before = git(tmp_path / "remote.git", "for-each-ref")
    with program_within(tmp_path, tree):
        for work in (*works, *removals):
            with pytest.raises(ToolError, match=_BUSY):
                await work()
        assert await check(tree) == (None, f"It was not started: {_BUSY}.")
        for name, writes in (("writes", True), ("reads", False)):
            process = build_process(tmp_path, name, tree, "touch", "made", writes=writes)
            assert await run(process) == ("not-started", f"It was not started: {_BUSY}.")
        assert (await workspaces.status(shop, "fix")).uncommitted
        assert await check(other) == (0, "")
    assert (git(tmp_path / "remote.git", "for-each-ref"), (tree / "made").exists()) == (before, False)
    for work in works:
        await work()
    assert await check(tree) == (0, "")
    assert await run(build_process(tmp_path, "later", tree, "touch", "made")) == ("succeeded", "")


async def test_programs_that_only_read_share_a_workspace(tmp_path: Path) -> None:
    """With each other and with git, not with one that writes."""
    shop = work_repository(build_remote(tmp_path))
    workspaces = Bench(folder=tmp_path).build()
    tree = (await workspaces.prepare(shop, "fix")).folder
    (tree / "a").write_text("two\n")
    with program_within(tmp_path, tree, writes=False):
        assert await workspaces.commit(shop, "fix", "Mend it", author=ANA)
        assert await run(build_process(tmp_path, "reads", tree, "cat", "a", writes=False)) == ("succeeded", "")
        assert await check(tree) == (None, f"It was not started: {_BUSY}.")


async def test_a_killed_program_leaves_its_workspace_free(tmp_path: Path) -> None:
    """Whatever ended its process."""
    (tree := tmp_path / "trees" / "fix").mkdir(parents=True)
    with program_within(tmp_path, tree) as child:
        child.kill()
        child.wait(SECONDS)
        assert await check(tree) == (0, "")


async def test_checks_wait_for_each_other(tmp_path: Path) -> None:
    """Of three at once none sees the files of another one."""
    (tree := tmp_path / "trees" / "fix").mkdir(parents=True)
    reports = await asyncio.gather(*(check(tree, _ALONE, patience=SECONDS) for _ in range(3)))
    assert reports == [(0, "")] * 3


async def test_no_program_begins_behind_a_link_in_place_of_a_workspace(tmp_path: Path) -> None:
    """Whoever has put it there; nothing is written behind it."""
    shop = work_repository(build_remote(tmp_path))
    tree = (await Bench(folder=tmp_path).build().prepare(shop, "fix")).folder
    for place in (tree, tree.parent):
        place.rename(tmp_path / "elsewhere")
        place.symlink_to(tmp_path / "elsewhere")
        _, problem = await run(build_process(tmp_path, f"of-{place.name}", tree, "touch", "made"))
        assert f"{place} is a link or a file" in problem
        assert f"{place} is a link or a file" in (await check(tree, "touch made"))[1]
        place.unlink()
        (tmp_path / "elsewhere").rename(place)
    assert not (tree / "made").exists()
    assert await check(tree) == (0, "")
