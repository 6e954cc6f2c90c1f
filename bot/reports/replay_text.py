"""A replay's report as text for a terminal. What people wrote is shown without anything that steers a terminal."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from blocks.text import counted
from bot.reports.replay import CLASSES, TOO_MANY, Counts, Report, Sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DAYS_SHOWN = 31
CHANNELS_SHOWN = 40
UNREAD_SHOWN = 5
_WIDTH = 100


def as_text(report: Report) -> str:
    """The report, some hundred lines."""
    return "\n".join(_lines(report)) + "\n"


def headline(report: Report) -> list[tuple[str, str]]:
    """What matters most, each with its name."""
    found = [("Messages", _messages(report))]
    found += [(name, f"{report.all.share(name):.1%} ({getattr(report.all, name):,})") for name in CLASSES]
    found.append(("Investigations", _investigations(report)))
    if report.cost is not None and report.price is not None:
        daily = "" if report.a_day is None else f"; ${report.a_day * report.price:,.2f} a day"
        found.append(("Cost", f"${report.cost:,.2f} at ${report.price:g} each{daily}"))
    if report.worst_hour:
        found.append(
            (
                "Worst hour",
                f"{report.worst_hour:%Y-%m-%d %H:00} UTC, {counted(report.in_worst_hour, 'investigation')} begun",
            )
        )
    return found


def remarks(report: Report) -> list[str]:
    """What to know of the figures."""
    found = []
    if report.all.total and report.all.share("actionable") > TOO_MANY:
        found.append(
            f"More than {TOO_MANY:.0%} are actionable: look at the samples, and tighten classifier.* in the settings."
        )
    if report.undated:
        found.append(f"Without a time, and so in no day: {counted(report.undated, 'message')}.")
    if report.remark:
        found.append(report.remark)
    if report.twice:
        found.append(f"Counted once, since they came twice: {counted(report.twice, 'message')}.")
    if report.others:
        found.append(
            f"Not counted, since no new message: {counted(report.others, 'event')} (joins, presses, deletions)."
        )
    if report.unread:
        found.append(f"{len(report.unread):,} could not be read: {plain('; '.join(report.unread[:UNREAD_SHOWN]))}")
    return found


def plain(text: str) -> str:
    """One line without control characters, such as those that move a cursor or turn the direction of writing."""
    return "".join(c if unicodedata.category(c)[0] != "C" else " " for c in " ".join(text.split()))


def _lines(report: Report) -> Iterator[str]:
    for name, value in headline(report):
        yield f"{name:16}{value}"
    yield from ("", *remarks(report))
    yield from _table("channel", report.channels.items(), shown=CHANNELS_SHOWN)
    yield from _table("day", [(f"{day}", counts) for day, counts in reversed(report.days.items())], shown=DAYS_SHOWN)
    for name in CLASSES:
        yield from ("", f"{name}: {counted(len(report.samples[name]), 'sample')}")
        yield from (f"  {_shown(sample)}" for sample in report.samples[name])


def _messages(report: Report) -> str:
    channels = counted(len(report.channels), "channel")
    days = list(report.days)
    return f"{report.all.total:,} in {channels}" + (f", {days[0]} to {days[-1]}" if days else "")


def _investigations(report: Report) -> str:
    daily = "" if report.a_day is None else f"; {report.a_day:.1f} a day on which something was said"
    return f"{report.all.investigations:,}, one a thread{daily}"


def _table(name: str, rows: Iterable[tuple[str, Counts]], *, shown: int) -> Iterator[str]:
    rows = list(rows)
    yield from ("", f"{name:32}{'messages':>9}{'actionable':>12}{'ambient':>9}{'ack':>7}{'investigations':>16}")
    for title, counts in rows[:shown]:
        shares = [f"{counts.share(each):.0%}" for each in CLASSES]
        cells = f"{counts.total:>9,}{shares[0]:>12}{shares[1]:>9}{shares[2]:>7}{counts.investigations:>16,}"
        yield f"{plain(title)[:31] or '(unnamed)':32}{cells}"
    if len(rows) > shown:
        yield f"and {len(rows) - shown:,} more; --html shows all"


def _shown(sample: Sample) -> str:
    text = plain(sample.text)
    return f"{sample.confidence:.2f}  {text[:_WIDTH]}{'…' if len(text) > _WIDTH else ''}"
