"""`triage report`: the acceptance criteria, measured by the records of a home; also beside a running bot."""

from __future__ import annotations

import asyncio
import sys
from argparse import RawDescriptionHelpFormatter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.options import add_config, add_home
from bot.config.paths import DEFAULT_CONFIG, home_path, named_config
from bot.errors import Misconfigured

if TYPE_CHECKING:
    import argparse

    from bot.adapters.home import Home
    from bot.decide.classify.stream_classifier import StreamClassifier
    from bot.models.baseline import Baseline
    from bot.models.criterion import AcceptanceReport

SLACK = "slack"
"""Value of `--baseline` for the channels' own history."""
_EPILOG = """\
Answer times are compared with those before Triage came, which are measured once:
  triage report --baseline export.zip      from an export of the workspace
  triage report --baseline slack           from the history of the watched channels, with the bot's token
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage report`."""
    parser.add_argument("--json", action="store_true", help="one JSON object; shares from 0 to 1, times in seconds")
    parser.add_argument("--baseline", metavar="SOURCE", help="first measure the time before Triage: a file, or slack")
    add_config(parser)
    add_home(parser)
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = _EPILOG


def main(options: argparse.Namespace) -> int:
    """Print the report."""
    from bot.reports.criteria.text import format_report

    path = home_path(options.home)
    if not path.is_dir():
        raise Misconfigured(f"{path}: there is no home yet, so there is nothing to measure")
    report = asyncio.run(_measure(path, options, now=datetime.now(UTC)))
    output = report.model_dump_json() if options.json else "\n".join(format_report(report))
    sys.stdout.write(f"{output}\n")
    return 0


async def _measure(path: Path, options: argparse.Namespace, *, now: datetime) -> AcceptanceReport:
    from bot.adapters.home import Home
    from bot.cli.baseline import keep_baseline
    from bot.cli.offline_classification import load_classifier
    from bot.cli.report_records import read_recorded
    from bot.reports.criteria import build_report

    home = Home(path)
    if options.baseline:
        keep_baseline(path, await _measure_baseline(home, options, load_classifier(options.config, path)))
    return build_report(await read_recorded(home, load_classifier(options.config, path), now=now), now=now)


async def _measure_baseline(home: Home, options: argparse.Namespace, classifier: StreamClassifier) -> Baseline:
    """Measure the time before Triage's first message; without one, all of the source."""
    from bot.cli.baseline import measure_export, measure_slack
    from bot.cli.report_records import find_first_message

    until = await find_first_message(home)
    if options.baseline != SLACK:
        return measure_export(Path(options.baseline), classifier, until=until)
    from bot.config.environment import read_environment
    from bot.config.settings import load

    settings = load(named_config(options.config) or DEFAULT_CONFIG)
    return await measure_slack(settings, read_environment(), classifier, until=until)
