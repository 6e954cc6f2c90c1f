"""The health check of a container."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from bot.adapters.home import Home
from bot.cli.alive import judge
from bot.models.health import STALE, Health

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("age", "changes", "works", "line"),
    [
        (timedelta(0), {}, True, "connected to Slack"),
        (STALE, {}, True, "connected to Slack"),
        (STALE + timedelta(seconds=1), {}, False, "has given no sign of life for 45 s"),
        (timedelta(0), {"connected": False}, False, "not connected to Slack"),
        (None, {}, False, "has given no sign of life for 45 s"),
        (timedelta(0), {"role": "standby"}, True, "connected to Slack; it stands by, and does not lead"),
        (timedelta(0), {"role": "worker"}, True, "investigates for the replicas; it needs no Slack"),
        (timedelta(0), {"role": "worker", "is_database_away": True}, False, "the database does not answer"),
        (timedelta(0), {"is_database_away": True}, False, "the database does not answer"),
    ],
)
async def test_a_bot_works_that_is_connected_and_says_so(
    tmp_path: Path, age: timedelta | None, changes: dict[str, Any], works: bool, line: str
) -> None:  # of the table
    """Slack is asked nothing."""
    home = Home(tmp_path)
    await home.lock()
    if age is not None:
        home.write_health(replace(Health(at=NOW - age, pid=1, connected=True), **changes))
    told = judge(tmp_path, NOW)
    home.unlock()
    assert (told[0], told[1].endswith(line)) == (works, True)
    assert judge(tmp_path, NOW) == (False, "no bot runs on this home")
    assert judge(tmp_path / "missing", NOW) == (False, f"{tmp_path}/missing does not exist yet")
