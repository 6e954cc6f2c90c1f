"""`triage report`: the acceptance criteria, measured by the records of a home; also beside a running bot."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.offline_storage import load_offline_settings, open_offline_storage
from bot.cli.options import add_config, add_env_file, add_home
from bot.cli.page_file import check_page, write_page
from bot.cli.progress import Activity
from bot.cli.terminal_style import find_width, paint
from bot.cli.terminal_text import wrap
from bot.config.paths import DEFAULT_CONFIG, demand_home, home_path, named_config

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from bot.cli.terminal_style import Meaning
    from bot.config.settings import Settings
    from bot.decide.classify.stream_classifier import StreamClassifier
    from bot.models.baseline import Baseline
    from bot.models.criterion import AcceptanceReport
    from bot.ports.storage import Storage
    from bot.reports.spending import Spending

SHOWN = timedelta(weeks=3)
"""Age, in weeks before the newest one, up to which the text shows costs; page and JSON have all."""
_STANDINGS: dict[str, Meaning] = {": not met": "bad", ": met": "good", ": too few cases": "caution"}
SLACK = "slack"
"""Value of `--baseline` for the channels' own history."""
_EPILOG = """\
Answer times are compared with those before Triage came, which are measured once:
  triage report --baseline export.zip      from an export of the workspace
  triage report --baseline slack           from the history of the watched channels, with the bot's token

`triage selftest` tries AC-07 to AC-09 on this machine.
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage report`."""
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write the report as an HTML page with plots")
    parser.add_argument("--json", action="store_true", help="one JSON object; shares from 0 to 1, times in seconds")
    parser.add_argument("--baseline", metavar="SOURCE", help="first measure the time before Triage: a file, or slack")
    add_config(parser)
    add_home(parser)
    add_env_file(parser)
    parser.epilog = _EPILOG


def main(options: argparse.Namespace) -> int:
    """Print the report; with `--html` also write its page."""
    path = home_path(options.home)
    settings = load_offline_settings(options.config)
    if settings.storage == "files":
        demand_home(path)
    if options.html:
        check_page(options.html)
    report, spending = asyncio.run(_measure(settings, path, options, now=datetime.now(UTC)))
    if options.html:
        from bot.reports.report_page import render_page

        write_page(options.html, render_page(report, spending))
    sys.stdout.write(f"{_format_json(report, spending) if options.json else _format_text(report, spending)}\n")
    if options.html and not options.json:
        sys.stdout.write(f"\nThe page: {options.html.absolute()}\n")
    return 0


def _format_text(report: AcceptanceReport, spending: Sequence[Spending]) -> str:
    from bot.reports.criteria.text import format_report
    from bot.reports.spending import format_spending

    lines = format_spending([row for row in spending if row.week >= spending[0].week - SHOWN])
    costs = ["", "Cost of approved answers by week and project, all runs of agents included:", *lines] if lines else []
    text = (*format_report(report), *costs)
    return "\n".join(_paint_standing(part) for line in text for part in _fit(line, find_width(sys.stdout)))


def _fit(line: str, width: int | None) -> list[str]:
    """Wrap a line that is wider than the terminal, below its first word."""
    indent = line[: len(line) - len(line.lstrip())]
    return wrap(line.lstrip(), width, first=indent, further=indent, breaks=False) if width else [line]


def _paint_standing(line: str) -> str:
    """Colour the standing of a criterion, at the end of the criterion's first line."""
    for words, meaning in _STANDINGS.items():
        if line.startswith("AC-") and words in line:
            return line.replace(words, f": {paint(words[2:], meaning, sys.stdout)}", 1)
    return line


def _format_json(report: AcceptanceReport, spending: Sequence[Spending]) -> str:
    rows = [dataclasses.asdict(row) | {"week": row.week.isoformat()} for row in spending]
    for row, spent in zip(rows, spending, strict=True):
        row |= {"usd_per_answer": spent.usd_per_answer, "saved_usd": spent.saved_usd}
    return json.dumps({**report.model_dump(mode="json"), "spending": rows})


async def _measure(
    settings: Settings, path: Path, options: argparse.Namespace, *, now: datetime
) -> tuple[AcceptanceReport, tuple[Spending, ...]]:
    from bot.adapters.home import Home
    from bot.cli.offline_classification import load_classifier
    from bot.reports.criteria import build_report
    from bot.reports.spending import count_spending
    from bot.wiring.report_records import keep_baseline, read_recorded

    async with open_offline_storage(settings, path) as storage:
        classifier = await load_classifier(settings, storage)
        if options.baseline:
            await keep_baseline(storage, await _measure_baseline(storage, options, classifier))
        with Activity(sys.stderr, "Reading the records"):
            recorded = await read_recorded(Home(path), storage, classifier, now=now)
            report = build_report(recorded, now=now)
    spending = count_spending(
        sessions=recorded.sessions, replies=recorded.replies, threads=recorded.threads, zone=settings.timezone
    )
    return report, spending


async def _measure_baseline(storage: Storage, options: argparse.Namespace, classifier: StreamClassifier) -> Baseline:
    """Measure the time before Triage's first message; without one, all of the source."""
    from bot.cli.baseline import measure_export, measure_slack
    from bot.wiring.report_records import find_first_message

    until = await find_first_message(storage.journal("events-classified", None))
    if options.baseline != SLACK:
        return measure_export(Path(options.baseline), classifier, until=until)
    from bot.config.env_file import load_env_file
    from bot.config.environment import read_environment
    from bot.config.settings import load

    config = named_config(options.config) or DEFAULT_CONFIG
    settings = load(config)
    load_env_file(options.env_file, config)
    with Activity(sys.stderr, "Measuring the time before Triage"):
        return await measure_slack(settings, read_environment(), classifier, until=until)
