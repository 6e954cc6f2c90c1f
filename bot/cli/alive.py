"""`triage alive`: say whether the bot of a home works, from its files alone; the health check of a container."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.adapters.home import Home
from bot.cli.options import add_home
from bot.config.paths import home_path
from bot.errors import TriageError
from bot.models.health import STALE

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage alive`."""
    add_home(parser)


def main(options: argparse.Namespace) -> int:
    """Print what is wrong, and return 1 then. Nothing is asked of Slack."""
    problem = find_problem(home_path(options.home), datetime.now(UTC))
    print(problem or "connected to Slack")  # noqa: T201  # command-line output
    return 1 if problem else 0


def find_problem(path: Path, now: datetime) -> str | None:
    """Return why the bot of this home does not work; `None` if it does."""
    if not path.is_dir():
        return f"{path} does not exist yet"
    home = Home(path)
    try:
        owner = home.owner()
    except TriageError as problem:
        return str(problem)
    health = home.health()
    if owner is None:
        return "no bot runs on this home"
    if health is None or now - health.at > STALE:
        return f"process {owner} has given no sign of life for {STALE.total_seconds():.0f} s"
    return None if health.connected else "not connected to Slack"
