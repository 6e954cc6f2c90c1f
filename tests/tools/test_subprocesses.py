"""Programs that tools run: bounded in time, in output and in number, and none outlives its call."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from bot import isolation
from bot.isolation import Grant
from bot.tools import subprocesses

WAITS = "import sys, time; open(sys.argv[1], 'w').write(str(__import__('os').getpid())); time.sleep(600)"


async def said(
    *code: str, max_bytes: int = 1_000, deadline: float = 30.0, stdin_data: bytes = b"", path: str = ""
) -> subprocesses.ProgramOutput:
    """What a Python program says."""
    command = (sys.executable, "-c", *code)
    return await subprocesses.run(
        command,
        cwd=Path("/"),
        grant=free,
        env={"PATH": path},
        max_bytes=max_bytes,
        deadline=deadline,
        stdin_data=stdin_data,
    )


def free() -> Grant:
    """A view of everything, for programs without a boundary."""
    return Grant(folder=Path("/"), reads=(Path("/"),))


@pytest.fixture(autouse=True)
def _without_boundary(monkeypatch: pytest.MonkeyPatch) -> None:
    """These are about any program; `tests/isolation` is about the boundary."""
    monkeypatch.setattr("bot.isolation.in_force._boundary", isolation.Boundary(problem="off"))


async def begun(pid_file: Path) -> int:
    """The process that has written its number there, once it has."""
    while not (pid_file.exists() and pid_file.read_text()):  # noqa: ASYNC110  # another process writes it
        await asyncio.sleep(0.01)
    return int(pid_file.read_text())


def alive(pid: int) -> bool:
    """Return whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_output_and_exit_code_come_back() -> None:
    """All of it, in order."""
    assert await said("print('a'); print('b'); raise SystemExit(3)") == subprocesses.ProgramOutput(
        b"a\nb\n", cut=False, code=3
    )


async def test_a_flood_is_cut() -> None:
    """The program ends with it."""
    done = await said("while True: print('x' * 1000)", max_bytes=50_000)
    assert (done.cut, done.code) == (True, 0)
    assert 50_000 < len(done.output) < 1_000_000


async def test_one_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    """Also one that has closed its output."""
    quiet = "import os, time; os.close(1); time.sleep(600)"
    for code in ("import time; time.sleep(600)", quiet):
        with pytest.raises(TimeoutError):
            await said(code, deadline=0.3)


async def test_what_is_called_off_does_not_go_on(tmp_path: Path) -> None:
    """The one that runs is killed, the ones that wait are never begun."""
    files = [tmp_path / str(number) for number in range(subprocesses.AT_ONCE + 2)]
    tasks = [asyncio.create_task(said(WAITS, str(file))) for file in files]
    running = [await begun(file) for file in files[: subprocesses.AT_ONCE]]
    for task in reversed(tasks):  # those that wait first, or a seat that becomes free would let one begin
        task.cancel()
    assert all(isinstance(end, asyncio.CancelledError) for end in await asyncio.gather(*tasks, return_exceptions=True))
    assert not any(map(alive, running))
    assert [file for file in files if file.exists()] == files[: subprocesses.AT_ONCE]
    assert (await said("print(1)")).output == b"1\n"


async def test_a_program_that_is_not_there_cannot_start() -> None:
    """An error of the machine's, and of the argument's."""
    with pytest.raises(OSError, match="nowhere"):
        await subprocesses.run(("/nowhere/rg",), cwd=Path("/"), grant=free, env={}, max_bytes=1, deadline=1)
    with pytest.raises(ValueError, match="null byte"):
        await said("a\0b")


async def test_it_runs_behind_the_event_loop(tmp_path: Path) -> None:
    """A program of a tool takes no processor time from the acks."""
    pid_file = tmp_path / "pid"
    running = asyncio.create_task(said(WAITS, str(pid_file)))
    pid = await begun(pid_file)
    assert os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, 0) + subprocesses.NICE
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_program_is_told_what_it_reads() -> None:
    """And the end of it; one that ends without reading is no failure, and more than a pipe holds is refused."""
    told = b"x" * subprocesses.LONGEST_TOLD
    echo = "import sys; sys.stdout.write(sys.stdin.read())"
    assert (await said(echo, max_bytes=100_000, stdin_data=told)).output == told
    assert (await said("raise SystemExit(3)", stdin_data=told)).code == 3
    with pytest.raises(ValueError, match="do not fit"):
        await said(echo, stdin_data=told + b"x")


async def test_complaints_hold_up_nobody() -> None:
    """However much they are, and whoever holds them open after its end."""
    flood = "import sys\nfor _ in range(300): sys.stderr.write('x' * 1000)\nprint('done')"
    assert (await said(flood)).output == b"done\n"
    left = "import subprocess, sys; subprocess.Popen(['sleep', '3'], stdout=subprocess.DEVNULL); print('done')"
    async with asyncio.timeout(2.5):
        assert (await said(left, path="/usr/bin:/bin")).output == b"done\n"
