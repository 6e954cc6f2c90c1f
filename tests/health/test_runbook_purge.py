"""Purge of the folders of runbooks: with their thread, or by age, and never one under way."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.adapters.purge import purge, purge_parts
from bot.models.purge_criterion import Criterion
from bot.runtime.program_folder import ProgramFolder

THREAD = "T0SANDBOX-C0HELP-100.000001"
LATER = datetime(2026, 1, 6, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a thread whose runbook ran, and with the run of another thread, both of yesterday."""
    (tmp_path / "state").mkdir()
    document = {"thread": {"1": {"incident": {"remedies": [{"run_id": "mine"}]}, "status": "closed"}}}
    (tmp_path / "state" / f"{THREAD}.json").write_text(json.dumps(document))
    for name in ("mine", "other"):
        folder = tmp_path / "runbooks" / name
        folder.mkdir(parents=True)
        (folder / "output.log").write_text("restarted\n")
        os.utime(folder, (0, datetime(2026, 1, 5, tzinfo=UTC).timestamp()))
    return tmp_path


def names(home: Path) -> list[str]:
    """The runs that are left."""
    return sorted(path.name for path in (home / "runbooks").iterdir())


def test_a_run_goes_with_its_thread(home: Path) -> None:
    """The runs of other threads stay; without `really`, all do."""
    purge(home, Criterion(thread_id=THREAD), really=False)
    assert names(home) == ["mine", "other"]
    purge(home, Criterion(thread_id=THREAD), really=True)
    assert names(home) == ["other"]


def test_old_runs_go_by_age_except_one_under_way(home: Path) -> None:
    """By a person's purge, and by the daily one."""
    handle = ProgramFolder(home / "runbooks" / "other").take_lock()
    assert handle is not None
    os.utime(home / "runbooks" / "other", (0, 0))
    purge_parts(home, LATER)
    assert names(home) == ["other"]
    os.close(handle)
    purge(home, Criterion(before=LATER), really=True)
    assert names(home) == []
