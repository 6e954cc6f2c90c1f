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
    works, line = judge(home_path(options.home), datetime.now(UTC))
    print(line)  # noqa: T201  # command-line output
    return 0 if works else 1


def judge(path: Path, now: datetime) -> tuple[bool, str]:
    """Return whether the bot of this home works, and what it does or why it does not."""
    if not path.is_dir():
        return False, f"{path} does not exist yet"
    home = Home(path)
    try:
        owner = home.owner()
    except TriageError as problem:
        return False, str(problem)
    health = home.health()
    if owner is None:
        return False, "no bot runs on this home"
    if health is None or now - health.at > STALE:
        return False, f"process {owner} has given no sign of life for {STALE.total_seconds():.0f} s"
    return not health.fault, health.fault or health.work
