"""`triage replay FILE`: classify a Slack export or an events file, to preview a channel before the bot reads it."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.message_source import open_source
from bot.cli.offline_classification import load_offline_classifier, warn_of_groups
from bot.cli.options import add_config, add_home
from bot.cli.page_file import check_page, write_page
from bot.cli.progress import ProgressBar
from bot.config.paths import home_path
from bot.errors import Misconfigured
from bot.reports.replay_page import as_page
from bot.reports.replay_tally import Tally
from bot.reports.replay_text import as_text

if TYPE_CHECKING:
    from bot.cli.message_source import MessageSource
    from bot.decide.classify.channel_purpose import Purpose
    from bot.decide.classify.stream_classifier import StreamClassifier
    from bot.reports.replay import ReplayReport

_EPILOG = """\
FILE is a Slack export (the zip, or its unpacked folder), a journal such as events.ndjson (.gz too), or JSON lines
with text and, where known, author, channel, thread_ts and ts. An investigation is counted for each thread with an
actionable message. The page of --html holds what people wrote; only you can read it.

example:
  triage replay export.zip --channel help-platform --price 0.21 --html report.html
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `triage replay`."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a Slack export, zip or folder, or an events file")
    parser.add_argument(
        "--channel", action="append", metavar="NAME", help="only this channel, by name or id; may be repeated"
    )
    parser.add_argument("--price", type=_price, metavar="DOLLARS", help="price of one investigation, such as 0.21")
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write the report as an HTML page")
    add_config(parser)
    add_home(parser)
    parser.epilog = _EPILOG


def main(options: argparse.Namespace) -> int:
    """Print the report; return 1 when something could not be read."""
    if options.html:
        check_page(options.html)
    report = _replay(
        open_source(options.file),
        asyncio.run(load_offline_classifier(options.config, home_path(options.home))),
        title=options.file.absolute().name,
        channels=frozenset(name.removeprefix("#") for name in options.channel or ()),
        price=options.price,
    )
    if not report.all.total:
        of_channel = " of that channel" if options.channel else ""
        raise Misconfigured(f"{options.file}: found no message{of_channel}; docs/replay.md names the forms of files")
    if options.html:
        write_page(options.html, as_page(report))
    print(as_text(report), end="", flush=True)  # noqa: T201  # this is the command's output
    if options.html:
        print(f"\nThe page: {options.html.absolute()}", flush=True)  # noqa: T201  # as above
    return 1 if report.unread else 0


def _replay(
    source: MessageSource, rules: StreamClassifier, *, title: str, channels: frozenset[str], price: float | None
) -> ReplayReport:
    tally, progress = Tally(), ProgressBar(sys.stderr, time.monotonic)
    purposes: dict[str, Purpose] = {}
    try:
        for message in source:
            progress.show(source.done, source.size)
            if message is None:
                tally.others += 1
            elif not channels or message.channel in channels or message.channel_name in channels:
                result = rules.judge(message)
                if message.channel_name not in purposes:
                    purposes[message.channel_name] = rules.purpose_of(message)
                tally.add(message, result.classification, result.classifier_confidence, result.judgement.features)
    finally:
        progress.end()
    return tally.report(
        title=title,
        version=rules.version,
        unread=source.unread,
        price=price,
        remark=warn_of_groups(rules),
        names=source.names,
        url=source.url,
        purposes=purposes,
    )


def _price(text: str) -> float:
    try:
        price = float(text)
    except ValueError:
        price = -1
    if not 0 <= price <= 1_000:
        raise argparse.ArgumentTypeError("expected dollars, such as 0.21")
    return price
