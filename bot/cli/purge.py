"""`triage purge`: remove messages, drafts and replies from a home, by age, thread, channel or user."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from blocks.text import format_count
from bot.adapters.home import Home
from bot.cli.offline_storage import load_offline_settings, open_offline_storage
from bot.cli.options import add_config, add_home
from bot.cli.progress import Activity
from bot.config.paths import demand_home, home_path
from bot.models.purge_criterion import Criterion, PurgeCounts
from bot.models.thread_id import THREAD_ID
from bot.wiring.saved_complaints import save_complaints

if TYPE_CHECKING:
    from pathlib import Path

    from bot.config.settings import Settings
    from bot.models.purge_criterion import PurgeCounts


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage purge`."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--older-than",
        type=_days,
        metavar="DAYS",
        help="records of that age and closed threads (default: retention.days)",
    )
    which.add_argument("--thread", type=_thread, metavar="ID", help="one thread, <team>-<channel>-<ts>")
    which.add_argument("--channel", type=_slack_id, metavar="ID", help="everything of a channel, such as C0123ABCD")
    which.add_argument(
        "--user", type=_slack_id, metavar="ID", help="everything that a user took part in, such as U0123ABCD"
    )
    parser.add_argument("--yes", action="store_true", help="purge; without it only count the records")
    add_config(parser)
    add_home(parser)
    parser.epilog = "The bot must be stopped. What is purged is gone from state, journals and their earlier parts."


def main(options: argparse.Namespace) -> int:
    """Count the matching records, or purge them."""
    path = home_path(options.home)
    settings = load_offline_settings(options.config)
    if settings.storage == "files":
        demand_home(path)
    with Activity(sys.stderr, "Purging" if options.yes else "Counting"):
        line = asyncio.run(_purge(settings, path, _criterion(options, settings), really=options.yes))
    _say(line)
    return 0


async def _purge(settings: Settings, path: Path, criterion: Criterion, *, really: bool) -> str:
    home, runs = Home(path), settings.escalation.transcript_dir
    if closed := await home.lock():
        _say(closed)
    try:
        async with open_offline_storage(settings, path) as storage, storage.alone():
            if really:
                await save_complaints(storage)
            purged = await storage.purge(criterion, really=really)
            place = storage.place
    finally:
        home.unlock()
    return _report(purged, f"{place} and {runs}" if runs else place, really=really)


def _criterion(options: argparse.Namespace, settings: Settings) -> Criterion:
    if options.thread or options.channel or options.user:
        return Criterion(thread_id=options.thread, channel=options.channel, user=options.user)
    days = options.older_than
    if days is None:
        days = settings.retention.days
    return Criterion(before=datetime.now(UTC) - timedelta(days=days))


def _report(purged: PurgeCounts, places: str, *, really: bool) -> str:
    what = f"{format_count(purged.records, 'record')} and {format_count(purged.documents, 'thread')}"
    return f"Purged {what} from {places}." if really else f"Would purge {what} from {places}; --yes does it."


def _days(text: str) -> float:
    try:
        days = float(text)
    except ValueError:
        days = -1
    if not 0 <= days <= 36_500:
        raise argparse.ArgumentTypeError("expected a number of days")
    return days


def _thread(text: str) -> str:
    if not re.fullmatch(THREAD_ID, text):
        raise argparse.ArgumentTypeError("expected <team>-<channel>-<ts>, the name of the thread's file in state/")
    return text


def _slack_id(text: str) -> str:
    if not re.fullmatch(r"[A-Z][A-Z0-9]{2,30}", text):
        raise argparse.ArgumentTypeError("expected a Slack id")
    return text


def _say(line: str) -> None:
    print(line, file=sys.stdout)  # noqa: T201  # command-line output
