"""Check of a project in a workspace, by real programs."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.decide.redaction.redactor import Redactor
from bot.errors import Misconfigured
from bot.isolation import Boundary, in_force
from bot.models.declared_command import DeclaredCheck
from bot.models.program_run import CheckReport
from bot.programs.project_check import ProjectChecks
from tests.health.bench import SECRET, is_gone, pipe, read
from tests.isolation.outside import refused

inside_bwrap = pytest.mark.skipif(bool(refused()), reason=f"no boundary here: {refused()}")
CHECKS = ProjectChecks(environment={"PATH": os.environ["PATH"], "HOME": "/nowhere"}, redactor=Redactor([SECRET]))


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without bubblewrap."""
    monkeypatch.setattr(in_force, "_boundary", Boundary(problem="none"))


async def check(folder: Path, *argv: str, **fields: Any) -> CheckReport:
    """The report of a check."""
    return await CHECKS.run(DeclaredCheck(**{"argv": argv, "timeout_s": 20, "reads": ()} | fields), folder)


@inside_bwrap
async def test_it_returns_exit_code_output_and_time(tmp_path: Path) -> None:
    """It may write in its workspace; a code other than 0 has not passed."""
    report = await check(tmp_path, "sh", "-c", f"echo one; echo {SECRET} >&2; touch made; printf '\\033[1mend'; exit 2")
    assert (report.exit_code, report.has_passed, report.is_isolated, report.problem) == (2, False, True, "")
    assert report.output == "one\n[redacted]\nend"
    assert (tmp_path / "made").exists()
    assert 0 < report.duration_ms < 20_000
    assert (await check(tmp_path, "true")).has_passed


@inside_bwrap
async def test_it_has_no_network_and_sees_what_the_settings_add(tmp_path: Path) -> None:
    """Nothing else of this machine."""
    (work := tmp_path / "work").mkdir()
    (tools := tmp_path / "tools").mkdir()
    (tools / "data").write_text("data")
    (tmp_path / "canary").write_text("canary")
    script = f"cat {tools}/data {tmp_path}/canary; ls /sys/class/net; touch {tools}/new"
    report = await check(work, "sh", "-c", script, reads=(tools,))
    assert report.output.startswith("data")
    assert ("canary: No such file" in report.output, (tools / "new").exists()) == (True, False)
    script = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
    assert "refused" in (await check(work, sys.executable, "-c", script)).output


async def test_it_says_that_it_was_not_isolated(tmp_path: Path, bare: None) -> None:
    """The card of a fix tells it."""
    report = await check(tmp_path, "sh", "-c", "echo $HOME")
    assert (report.output, report.is_isolated) == ("/nowhere", False)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"argv": ("/nowhere/check",)}, "/nowhere/check cannot be started: there is no such program."),
        (
            {"reads": (Path("/nowhere/data"),)},
            "true cannot be started: /nowhere/data, which it may read, does not exist.",
        ),
        ({"argv": ("sh", "-c", "sleep 300"), "timeout_s": 0.3}, "It took longer than 0.3 s, and was ended."),
    ],
)
async def test_a_check_without_an_end_has_a_reason(tmp_path: Path, fields: dict[str, Any], problem: str) -> None:
    """And no exit code."""
    report = await check(tmp_path, "true", **fields)
    assert (report.exit_code, report.has_passed, report.problem) == (None, False, problem)


async def test_a_required_boundary_that_is_missing_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for every other program."""
    monkeypatch.setattr(in_force, "_boundary", Boundary(problem="there is none", required=True))
    with pytest.raises(Misconfigured, match="there is none"):
        await check(tmp_path, "touch", "made")
    assert not (tmp_path / "made").exists()


async def test_a_cancelled_check_ends_with_what_it_started(tmp_path: Path, bare: None) -> None:
    """A stop of the bot leaves nothing behind."""
    started = pipe(tmp_path / "started")
    running = asyncio.ensure_future(check(tmp_path, "sh", "-c", "sleep 300 & echo $! > started; sleep 300"))
    pid = int(await read(started))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert is_gone(pid)
