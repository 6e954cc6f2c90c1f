"""Purge of the folders of fixes: with their thread, by text or by age, and never one under way."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.adapters.purge import purge
from bot.escalation.folder import RunFolder
from bot.models.purge_criterion import Criterion

THREAD = "T0SANDBOX-C0HELP-100.000001"


@pytest.fixture
def fixes(tmp_path: Path) -> Path:
    """Two drafts of yesterday, and one under way."""
    for name, thread in (("one", THREAD), ("two", "T0SANDBOX-C0OTHER-1.000001"), ("live", THREAD)):
        folder = RunFolder(tmp_path / "fixes" / name)
        folder.save_task({"thread_id": thread})
        folder.transcript.write_text("U0ANA asked" if name == "two" else "")
        os.utime(folder.path, (0, datetime(2026, 1, 5, tzinfo=UTC).timestamp()))
    return tmp_path / "fixes"


@pytest.mark.parametrize(
    ("criterion", "left"),
    [
        (Criterion(thread_id=THREAD), ["live", "two"]),
        (Criterion(channel="C0HELP"), ["live", "two"]),
        (Criterion(user="U0ANA"), ["live", "one"]),
        (Criterion(before=datetime(2026, 1, 6, tzinfo=UTC)), ["live"]),
        (Criterion(before=datetime(2026, 1, 4, tzinfo=UTC)), ["live", "one", "two"]),
    ],
)
def test_a_purge_takes_the_drafts_that_it_is_about(fixes: Path, criterion: Criterion, left: list[str]) -> None:
    """Its process goes on with one under way."""
    handle = RunFolder(fixes / "live").take_lock()
    assert handle is not None
    os.utime(fixes / "live", (0, 0))
    purge(fixes.parent, criterion, really=True)
    assert sorted(path.name for path in fixes.iterdir()) == left
    os.close(handle)
