"""The boundary on this machine: a program that tries everything gets what it was granted, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from pathlib import Path

import pytest

from bot import isolation
from bot.errors import Misconfigured, ToolError
from bot.isolation import Boundary, Grant, NotIsolated, boundary, in_force, machine
from bot.tools import git, search, subprocesses
from tests.isolation.outside import CANARY, GIVEN, SET_BY_BWRAP, got, refused
from tests.isolation.outside import machine as outside
from tests.tools.conftest import commit
from tests.tools.conftest import git as run_git

inside_bwrap = pytest.mark.skipif(bool(refused()), reason=f"no boundary here: {refused()}")


@inside_bwrap
async def test_nothing_is_had_beyond_the_grant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file of the home, of the bot's state or of other processes; no socket, no variable, no write, no signal."""
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xo" + "xb-of-the-bot")
    with outside(tmp_path) as there:
        tries = [*there.tries, ("variables", f"{GIVEN} {SET_BY_BWRAP}"), ("read", str(there.project / "a.py"))]
        *kept, variables, own = await got(tries, there.project)
        assert [tried for tried, answer in zip(tries, kept, strict=False) if answer not in (None, [])] == []
        assert (variables, own) == ([], "x = 1\n")
        assert sorted(path.name for path in there.project.iterdir()) == ["a.py"]


@inside_bwrap
async def test_a_program_with_devices_and_processes_of_its_own_has_no_more(tmp_path: Path) -> None:
    """As an MCP server's: what it finds in `/proc` and `/dev` is its own, and no setting of the kernel is written."""
    with outside(tmp_path) as there:
        mine = ("/proc/1/environ", "/proc/self/environ", "/proc/thread-self/environ")
        tries = [tried for tried in there.tries if tried[1] not in (*mine, "/proc")]
        answers = await got(tries, there.project, equipped=True)
        assert [tried for tried, answer in zip(tries, answers, strict=True) if answer not in (None, [])] == []


@inside_bwrap
async def test_the_tries_have_an_effect_without_a_boundary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So what the test above finds is the boundary's doing."""
    monkeypatch.setattr(in_force, "_boundary", Boundary(problem="off"))
    with outside(tmp_path) as there:
        key = str(there.home / ".ssh" / "id_ed25519")
        tries = [("read", key), ("connect", there.port), ("abstract", there.name), ("kill", os.getpid())]
        assert await got(tries, there.project) == [CANARY, CANARY, "connected", "there"]
        assert await got([("write", str(there.project / "a.py"))], there.project) == [7]


@inside_bwrap
async def test_a_folder_granted_for_writing_is_written(tmp_path: Path) -> None:
    """The one inside the project that is read, and no other."""
    with outside(tmp_path) as there:
        task = there.project / "task"
        task.mkdir()
        tries = [("write", str(task / "new")), ("write", str(there.project / "new"))]
        assert await got(tries, there.project, writes=[task]) == [7, None]
        assert (task / "new").read_text() == "changed"


@inside_bwrap
@pytest.mark.parametrize("seen", [0, 1, 2, 3, None])
async def test_what_is_inside_ends_with_its_call(tmp_path: Path, seen: int | None) -> None:
    """After the deadline, and when it is called off, at whatever stage: the program, what it started, the boundary."""
    script = "(sleep 60 & sleep 60) & sleep 60"
    started = asyncio.create_task(
        subprocesses.run(
            ("/bin/sh", "-c", script),
            cwd=tmp_path,
            grant=lambda: Grant(folder=tmp_path, reads=(tmp_path,)),
            env={},
            max_bytes=10,
            deadline=0.5 if seen is None else 60,
        )
    )
    if seen is not None:
        while len(_using(tmp_path)) < seen:  # noqa: ASYNC110  # other processes come
            await asyncio.sleep(0.001)
        started.cancel()
    with pytest.raises((TimeoutError, asyncio.CancelledError)):
        await started
    async with asyncio.timeout(20):
        while _using(tmp_path):  # noqa: ASYNC110  # the kernel takes them down
            await asyncio.sleep(0.02)


def _using(folder: Path) -> list[str]:
    """The processes that work in a folder."""
    found = []
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and (process / "cwd").resolve().name == folder.name:
                found.append(process.name)
    return found


@inside_bwrap
async def test_a_boundary_that_cannot_be_made_is_no_empty_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ripgrep that never ran did not find nothing: it is a tool's error, for git too."""
    monkeypatch.setattr(search, "_grant", lambda root: Grant(folder=root, reads=(root, root / "gone")))
    with pytest.raises(ToolError, match="its boundary cannot be set up"):
        await search.list_files(tmp_path)
    with pytest.raises(NotIsolated):
        boundary().check(b"bwrap: Can't find source path /x: No such file or directory\n")
    boundary().check(b"fatal: bwrap: no repository")


@inside_bwrap
async def test_git_sees_no_file_of_the_project_nor_beside_it(tmp_path: Path) -> None:
    """Its commits are read all the same, from a folder of it, too."""
    (tmp_path / "app").mkdir()
    run_git(tmp_path, "init", "-q", "-b", "main")
    sha = commit(tmp_path, "one", app__a_py="x = 1\n", beside_py="y = 1\n")
    (tmp_path / ".env").touch()
    for root in (tmp_path / "app", tmp_path):
        *_, grant = git.build_command(root)
        assert grant.reads == (tmp_path / ".git",)
        assert await git.commit_sha(root, "HEAD") == sha
    said = await subprocesses.run(
        ("/bin/ls", "-A"), cwd=tmp_path, grant=lambda: grant, env={}, max_bytes=1_000, deadline=10
    )
    assert said.output == b".git\n"


@pytest.mark.parametrize(
    ("mode", "here", "bwrap", "said"),
    [
        ("auto", "", ("bwrap",), ""),
        ("required", "", ("bwrap",), ""),
        ("off", "", (), "security.isolation is off"),
        ("auto", "not installed", (), "not installed"),
        ("required", "not installed", (), "not installed"),
    ],
)
async def test_the_settings_decide(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mode: isolation.Mode, here: str, bwrap: tuple[str, ...], said: str
) -> None:
    """Where it is required and missing nothing is started any more, and it is said what to do."""
    monkeypatch.setattr(in_force, "_boundary", None)
    monkeypatch.setattr(in_force, "_on_this_machine", lambda: Boundary(() if here else ("bwrap",), here))
    found = isolation.configure(mode)
    assert (found.bwrap, found.problem, boundary()) == (bwrap, said, found)
    if mode == "required" and here:
        with pytest.raises(Misconfigured, match=r"security\.isolation: required, and not installed"):
            found.demand()
        with pytest.raises(Misconfigured, match="required"):
            await search.list_files(tmp_path)
    else:
        found.demand()


def test_a_machine_without_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not installed; and installed where the kernel lets nobody make namespaces."""
    monkeypatch.setattr(machine, "PATH", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    bwrap, problem = machine.bwrap_here()
    assert (bwrap, "apt install bubblewrap" in problem) == ((), True)
    refuses = tmp_path / "bwrap"
    refuses.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    refuses.chmod(0o755)
    bwrap, problem = machine.bwrap_here()
    assert bwrap == ()
    assert "is refused (No permissions to create new namespace); let this user make user namespaces" in problem
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "needs Linux" in machine.bwrap_here()[1]
