"""`triage metrics`: figures of the last days, counted from the journals; also beside a running bot."""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.cli.offline_storage import load_offline_settings, open_offline_storage
from bot.cli.options import add_config, add_home
from bot.cli.progress import Activity
from bot.config.paths import demand_home, home_path
from bot.reports.metrics import LONGEST, Figures, Sources, format_figures, gather

if TYPE_CHECKING:
    from pathlib import Path

    from bot.config.settings import Settings


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--days`, `--json`, `--config` and `--home`."""
    parser.add_argument(
        "--days", type=_days, default=7, metavar="N", help=f"how many days, 1 to {LONGEST} (default: 7)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object; the medians are in minutes")
    add_config(parser)
    add_home(parser)


def main(options: argparse.Namespace) -> int:
    """Print the figures."""
    path = home_path(options.home)
    settings = load_offline_settings(options.config)
    if settings.storage == "files":
        demand_home(path)
    with Activity(sys.stderr, "Reading the journals"):
        figures = asyncio.run(_gather(settings, path, options.days))
    output = json.dumps(dataclasses.asdict(figures)) if options.json else "\n".join(format_figures(figures))
    sys.stdout.write(f"{output}\n")
    return 0


async def _gather(settings: Settings, path: Path, days: int) -> Figures:
    async with open_offline_storage(settings, path) as storage:
        sources = Sources(
            classified=storage.journal("events-classified", None),
            audit=storage.journal("audit", None),
            replies=storage.journal("replies", None),
            labels=storage.journal("labels", None),
            feedback=storage.journal("feedback", None),
            sessions=storage.sessions(),
            store=storage.store(None),
        )
        return await gather(sources, days=days, now=datetime.now(UTC))


def _days(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:4]) <= LONGEST or len(text) > 4:
        raise argparse.ArgumentTypeError(f"expected a number of days from 1 to {LONGEST}")
    return int(text)
