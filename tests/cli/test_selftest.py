"""`triage selftest` for real: its own bots, its own run of tier 2, and nothing of them is left."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from bot.cli.selftest import format_rows
from bot.cli.selftest_run import PROGRAM, try_run
from bot.cli.watched_terminal import is_shown
from bot.decide.self_test import TrialRun, judge_trial
from tests.escalation.machine import TMUX
from tests.forks import begun, triage
from tests.line.human import until

SECONDS = 20.0


def processes(folder: Path) -> list[str]:
    """The command lines that name a folder."""
    lines = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(entry.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:  # it has ended
            continue
    return [line for line in lines if str(folder) in line]


def test_a_sound_machine_passes_and_is_left_as_it_was(tmp_path: Path) -> None:
    """AC-07 to AC-09 by a real run, through the end of its bot; the person's home is not even made."""
    place, home = tmp_path / "place", tmp_path / "home"
    place.mkdir()
    done = triage("selftest", "--json", variables={"TMPDIR": str(place), "TRIAGE_HOME": str(home)})
    shown = json.loads(done.stdout)
    assert (done.returncode, shown["ok"]) == (0, True), done.stdout
    assert [(row["id"], row["ok"], row["advice"]) for row in shown["criteria"]] == [
        ("AC-07", True, ""),
        ("AC-08", True, ""),
        ("AC-09", True, ""),
    ]
    assert ("tmux -S" if TMUX else "tail -f") in shown["criteria"][1]["detail"]
    assert "is killed with SIGKILL, and another one is started" in done.stderr
    assert ([*place.iterdir()], home.exists(), processes(place)) == ([], False, [])


@pytest.mark.long
@pytest.mark.parametrize(("moment", "number"), [("It is watched", signal.SIGINT), ("is killed", signal.SIGTERM)])
async def test_an_interrupted_trial_leaves_nothing(tmp_path: Path, moment: str, number: signal.Signals) -> None:
    """Neither a process nor a file."""
    with begun("selftest", variables={"TMPDIR": str(tmp_path)}) as command:
        await until(lambda: moment in command.err.read_text())
        assert command.process.pid
        os.kill(command.process.pid, number)
        await asyncio.to_thread(command.process.join, SECONDS)
        assert command.process.exitcode == 130
    assert ([*tmp_path.iterdir()], processes(tmp_path)) == ([], [])


async def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """With the variable that names another one; nothing is started."""
    steps: list[str] = []
    rows = judge_trial(await try_run(tmp_path / "missing", steps.append))
    assert not any(row.ok for row in rows)
    assert "missing/triage-selftest-" in rows[0].detail
    assert format_rows(rows).count("next: set TMPDIR to a folder that can be written") == 3
    assert steps == []


@pytest.mark.long
async def test_without_tmux_the_transcript_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All are ok then, and AC-08 names the other way."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "tail"):
        (programs / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(programs))
    rows = judge_trial(await try_run(tmp_path, print))
    assert [row.ok for row in rows] == [True, True, True]
    assert "tmux is not in PATH, so the run is a detached process" in rows[1].detail


@pytest.mark.long
async def test_a_program_without_a_result_is_told(tmp_path: Path) -> None:
    """The restart is survived all the same; the thread goes on without a result."""
    program = tmp_path / "program.py"
    last = "sys.exit('no memory')"
    program.write_text(PROGRAM.read_text().replace('sys.stdout.write(f"{json.dumps(result)}\\n")', last))
    result, watching, survival = judge_trial(await try_run(tmp_path, print, program=program))
    assert (result.ok, watching.ok, survival.ok) == (False, True, False)
    assert "failed: the program ended with exit code 1: stand-in-waits for" in result.detail
    assert result.detail.endswith(" / no memory")
    assert "its thread did not go on with the result" in survival.detail


@pytest.mark.long
async def test_a_program_that_ends_at_once_cannot_be_watched(tmp_path: Path) -> None:
    """Its reason is told, and no bot is killed."""
    program = tmp_path / "program.py"
    program.write_text("import sys\nsys.exit('no memory')")
    result, watching, survival = judge_trial(await try_run(tmp_path, print, program=program))
    assert "failed: the program ended with exit code 1: no memory" in result.detail
    assert watching.detail == survival.detail == "not reached: the run ended before it could be watched"


@pytest.mark.parametrize(
    ("command", "expected"),
    [("test -t 0 && echo here; read line", True), ("echo no", False), ("no-such-program", False)],
)
async def test_a_terminal_shows_a_word(command: str, expected: bool) -> None:
    """As soon as it stands there; a command that ends without it has not shown it."""
    assert await is_shown(command, "here", seconds=SECONDS) is expected


def test_rows_are_lines() -> None:
    """With the next step below one that is not ok."""
    lines = format_rows(judge_trial(TrialRun(fault="no room", advice="make room"))).splitlines()
    assert lines[:2] == ["WRONG  AC-07 a long run writes its result (0 s): no room", "       next: make room"]
