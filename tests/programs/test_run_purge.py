"""Purge of the folders of declared commands: by their text or by age, and never one under way."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.adapters.purge import purge, purge_parts
from bot.models.purge_criterion import Criterion
from bot.runtime.program_folder import ProgramFolder
from tests.rights import bound_by_modes

LATER = datetime(2026, 1, 6, tzinfo=UTC)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """The runs of two people, of yesterday; the text of one names a channel."""
    for name, text in (("U0OPS-1", "ok\n"), ("U0ADMIN-2", "see C0HELP\n")):
        folder = tmp_path / "command-runs" / name
        folder.mkdir(parents=True)
        (folder / "task.json").write_text(f'{{"run_id": "{name}"}}')
        (folder / "output.log").write_text(text)
        os.utime(folder, (0, datetime(2026, 1, 5, tzinfo=UTC).timestamp()))
    return tmp_path / "command-runs"


@pytest.mark.parametrize(
    ("criterion", "left"),
    [
        (Criterion(user="U0OPS"), ["U0ADMIN-2"]),
        (Criterion(channel="C0HELP"), ["U0OPS-1"]),
        (Criterion(thread_id="T0SANDBOX-C0HELP-100.000001"), ["U0ADMIN-2", "U0OPS-1"]),
        (Criterion(before=LATER), []),
    ],
)
def test_a_purge_takes_the_runs_that_it_is_about(runs: Path, criterion: Criterion, left: list[str]) -> None:
    """Those of a person have their id; without `really`, all stay."""
    purge(runs.parent, criterion, really=False)
    assert len([*runs.iterdir()]) == 2
    purge(runs.parent, criterion, really=True)
    assert sorted(path.name for path in runs.iterdir()) == left


def test_one_under_way_stays(runs: Path) -> None:
    """However old it is."""
    handle = ProgramFolder(runs / "U0OPS-1").take_lock()
    assert handle is not None
    os.utime(runs / "U0OPS-1", (0, 0))
    purge_parts(runs.parent, LATER)
    assert [path.name for path in runs.iterdir()] == ["U0OPS-1"]
    os.close(handle)


def test_a_folder_that_a_check_has_closed_is_no_obstacle(runs: Path) -> None:
    """To a bot that is not root, after a kill before the copy of the workspace was removed."""
    closed = runs / "U0OPS-1/check/copy/cache"
    closed.mkdir(parents=True)
    (closed / "file").touch()
    closed.chmod(0o500)
    with bound_by_modes():
        purge(runs.parent, Criterion(user="U0OPS"), really=True)
    assert [path.name for path in runs.iterdir()] == ["U0ADMIN-2"]
