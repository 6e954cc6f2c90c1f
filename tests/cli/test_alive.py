"""The health check of a container."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from bot.adapters.home import Home
from bot.cli.alive import find_problem
from bot.models.health import STALE, Health

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("age", "connected", "problem"),
    [
        (timedelta(0), True, None),
        (STALE, True, None),
        (STALE + timedelta(seconds=1), True, "has given no sign of life for 45 s"),
        (timedelta(0), False, "not connected to Slack"),
        (None, True, "has given no sign of life for 45 s"),
    ],
)
async def test_a_bot_works_that_is_connected_and_says_so(
    tmp_path: Path, age: timedelta | None, connected: bool, problem: str | None
) -> None:  # of the table
    """Slack is asked nothing."""
    home = Home(tmp_path)
    await home.lock()
    if age is not None:
        home.write_health(Health(at=NOW - age, pid=1, connected=connected))
    told = find_problem(tmp_path, NOW)
    home.unlock()
    assert told == problem or (problem and told and told.endswith(problem))
    assert find_problem(tmp_path, NOW) == "no bot runs on this home"
    assert find_problem(tmp_path / "missing", NOW) == f"{tmp_path}/missing does not exist yet"
