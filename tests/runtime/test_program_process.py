"""Process of a runbook: its limit, its one start, and a disk that fails."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.models.program_run import ProgramResult, ProgramTask
from bot.runtime import failpoints
from bot.runtime.program_folder import ProgramFolder
from bot.runtime.program_output import OutputFile, read_last_lines
from bot.runtime.program_process import ProgramProcess
from tests.health.bench import is_gone

_STUBBORN = "trap '' TERM; echo $$ > pid; exec sleep 300"
"""A shell starts long before the limit, also on a busy machine."""


@dataclass
class Disk:
    """Failpoints of which some fail, each so many times."""

    errors: dict[str, int]
    passed: list[str] = field(default_factory=list)

    @contextmanager
    def __call__(self, point: str, subject: str) -> Iterator[None]:
        """Surround one operation."""
        self.passed.append(point)
        if self.errors.get(point, 0) > 0:
            self.errors[point] -= 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        yield


@pytest.fixture(autouse=True)
def disarmed() -> Iterator[None]:
    """No failpoint outlives its test."""
    yield
    failpoints.arm(None)


def order(tmp_path: Path, *argv: str, **changes: Any) -> ProgramProcess:
    """A process with its task."""
    folder = ProgramFolder(tmp_path / "runbooks" / "run1")
    values: dict[str, Any] = {"run_id": "run1", "name": "restart", "argv": argv, "cwd": tmp_path, "timeout_s": 20}
    folder.save_task(ProgramTask(**values | {"at": datetime(2026, 1, 5, tzinfo=UTC)} | changes))
    return ProgramProcess(folder=folder, environment={"PATH": os.environ["PATH"]}, patience=0.1, write_every=0.0)


def read_end(process: ProgramProcess) -> ProgramResult:
    """Its end."""
    end = process.folder.read_end()
    assert end is not None
    return end


@pytest.mark.parametrize("leave", [(), ("setsid",)])
async def test_the_limit_ends_a_program_that_ignores_it(tmp_path: Path, leave: tuple[str, ...]) -> None:
    """Also one that has left the group."""
    process = order(tmp_path, *leave, "sh", "-c", _STUBBORN, timeout_s=0.5)
    assert await process.run() == 0
    assert (read_end(process).outcome, read_end(process).problem) == (
        "timed-out",
        "It took longer than 0.5 s, and was ended.",
    )
    assert is_gone(int((tmp_path / "pid").read_text()))


async def test_the_limit_ends_a_grandchild_that_ignores_it(tmp_path: Path) -> None:
    """Its parent has ended politely before."""
    child = f"trap '' TERM; echo $$ > {tmp_path}/pid; sleep 300; sleep 300"
    process = order(tmp_path, "/bin/sh", "-c", f'sh -c "{child.replace("$$", chr(92) + "$$")}" & wait', timeout_s=0.5)
    assert await process.run() == 0
    assert read_end(process).outcome == "timed-out"
    assert is_gone(int((tmp_path / "pid").read_text()))


async def test_all_that_a_program_leaves_in_its_group_ends_with_it(tmp_path: Path) -> None:
    """A service that it should start needs a service manager."""
    process = order(tmp_path, "/bin/sh", "-c", f"sleep 300 & echo $! > {tmp_path}/pid; exit 5")
    assert await process.run() == 0
    assert (read_end(process).outcome, read_end(process).exit_code) == ("failed", 5)
    assert is_gone(int((tmp_path / "pid").read_text()))


async def test_a_program_that_a_signal_ends_has_the_code_of_a_shell(tmp_path: Path) -> None:
    """The words name the signal."""
    process = order(tmp_path, "/bin/sh", "-c", "kill -s SEGV $$")
    await process.run()
    assert (read_end(process).exit_code, read_end(process).problem) == (139, "It was ended by SIGSEGV.")


async def test_a_mark_starts_nothing_again(tmp_path: Path) -> None:
    """Whatever has become of the process that made it."""
    process = order(tmp_path, "/usr/bin/touch", f"{tmp_path}/trace")
    process.folder.started.touch()
    assert (await process.run(), process.folder.read_state()) == (0, "died")
    assert not (tmp_path / "trace").exists()


class Beheld(ProgramFolder):
    """Folder in which something happens while its lock is looked at."""

    def __init__(self, path: Path, happening: Callable[[ProgramFolder], object]) -> None:
        super().__init__(path)
        self.happening = happening

    def find_process(self) -> int | None:
        """Let it happen; nobody holds the lock by then."""
        self.happening(self)
        return None


@pytest.mark.parametrize(
    ("is_marked", "happening", "state"),
    [
        (False, lambda folder: None, "unstarted"),
        (False, lambda folder: folder.started.touch(), "unstarted"),
        (True, lambda folder: None, "died"),
        (True, lambda folder: folder.returned.touch(), "ended"),
    ],
)
def test_a_process_that_moves_on_during_a_look_is_not_said_to_have_died(
    tmp_path: Path, is_marked: bool, happening: Callable[[ProgramFolder], object], state: str
) -> None:
    """It takes its lock before the mark, and writes its end before it lets go of the lock."""
    folder = order(tmp_path, "/bin/true").folder
    if is_marked:
        folder.started.touch()
    assert Beheld(folder.path, happening).read_state() == state


def test_a_start_that_is_perhaps_marked_is_not_barred(tmp_path: Path) -> None:
    """The mark was made and could not be synced: a process may have made it, too."""
    folder = order(tmp_path, "/bin/true").folder
    failpoints.arm(Disk({"programs.sync_folder": 1}))
    assert (folder.bar(), folder.started.exists(), folder.task.exists()) == (False, True, False)
    other = order(tmp_path / "other", "/bin/true").folder
    failpoints.arm(Disk({"programs.mark": 1}))
    assert (other.bar(), other.started.exists(), other.task.exists()) == (True, False, False)


@pytest.mark.parametrize(
    ("errors", "code", "outcome"),
    [
        ({"programs.mark": 1}, 0, "not-started"),
        ({"programs.mark": 1, "programs.write": 99}, 2, None),
        ({"programs.sync_folder": 1}, 0, "not-started"),
        ({"programs.sync": 5}, 0, "succeeded"),
        ({"programs.rename": 99}, 1, None),
    ],
)
async def test_a_full_disk_loses_at_most_the_end(
    tmp_path: Path, errors: dict[str, int], code: int, outcome: str | None
) -> None:
    """The program runs only if its start is on disk; the end is written as soon as there is room."""
    process = order(tmp_path, "/usr/bin/touch", f"{tmp_path}/trace")
    failpoints.arm(disk := Disk(errors))
    assert await process.run() == code
    end = process.folder.read_end()
    assert (end.outcome if end else None) == outcome
    assert (tmp_path / "trace").exists() is ("programs.run" in disk.passed)
    assert ("programs.run" in disk.passed) is (outcome == "succeeded" or "programs.rename" in errors)


async def test_a_working_directory_that_is_gone_starts_nothing(tmp_path: Path) -> None:
    """The words name it."""
    process = order(tmp_path, "/bin/true", cwd=tmp_path / "gone")
    await process.run()
    assert (read_end(process).outcome, read_end(process).problem) == (
        "not-started",
        f"Its working directory {tmp_path}/gone does not exist.",
    )


def test_the_last_lines_hold_no_half_of_a_secret(tmp_path: Path) -> None:
    """What is read begins with a whole line, and what is shown with another."""
    path = tmp_path / "output.log"
    writer = OutputFile(path, most=200_000)
    for number in range(3_000):
        writer.write([f"{number} {'x' * 100}"])
    assert path.stat().st_size <= 200_000
    seen: list[str] = []
    shown = read_last_lines(path, lambda text: seen.append(text) or text)  # type: ignore[func-returns-value]  # append is false
    assert all(line.endswith("x" * 100) for line in seen[0].splitlines())
    assert (shown.splitlines()[0], len(shown) <= 2_500) == ("…", True)
    assert shown.splitlines()[-1].startswith("2999 ")


async def test_a_second_process_waits_for_no_first(tmp_path: Path) -> None:
    """While one has the lock, another one leaves at once, and says nothing."""
    process = order(tmp_path, "/usr/bin/touch", f"{tmp_path}/trace")
    handle = process.folder.take_lock()
    assert handle is not None
    try:
        assert (process.folder.read_state(), await asyncio.wait_for(process.run(), 20)) == ("running", 0)
    finally:
        os.close(handle)
    assert not (tmp_path / "trace").exists()
