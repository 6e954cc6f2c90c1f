"""Text of a replay's report for a terminal. User content is shown without control characters."""

from __future__ import annotations

import unicodedata
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING

from blocks.text import format_count
from bot.reports.replay import CLASSES, MONTH, Counts, ReplayReport, Sample, by_month, by_week, judge_share

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from bot.models.classification import Class

WEEKS_SHOWN, MONTHS_SHOWN = 13, 24
CHANNELS_SHOWN = 40
SAMPLES_SHOWN = 20
UNREAD_SHOWN = 5
_WIDTH = 100


def as_text(report: ReplayReport) -> str:
    """Format the report, about a hundred lines."""
    return "\n".join(_lines(report)) + "\n"


def headline(report: ReplayReport) -> list[tuple[str, str]]:
    """Return the main figures, each with its name."""
    verdict = judge_share(report.all, report.purpose)
    rows = [("Verdict", f"{verdict.label}: {verdict.why}"), ("Messages", _messages(report))]
    rows += [(name, f"{report.all.share(name):.1%} ({getattr(report.all, name):,})") for name in CLASSES]
    rows.append(("Investigations", _investigations(report)))
    if report.price is not None:
        rows.append(("Cost", _cost(report)))
    if report.worst_hour:
        rows.append(
            (
                "Worst hour",
                f"{report.worst_hour:%Y-%m-%d %H:00} UTC, {format_count(report.in_worst_hour, 'investigation')} begun",
            )
        )
    return rows


def remarks(report: ReplayReport) -> list[str]:
    """Return remarks about the figures."""
    lines = []
    if report.span:
        lines.append(f"A month is {MONTH} days like the {report.span} of this history.")
    if report.price is None:
        lines.append("The price of an investigation is unknown: --price 0.21 adds it.")
    if report.undated:
        lines.append(f"Without a time, and so in no week: {format_count(report.undated, 'message')}.")
    if report.remark:
        lines.append(report.remark)
    if report.twice:
        lines.append(f"Counted once, since duplicated: {format_count(report.twice, 'message')}.")
    if report.others:
        lines.append(
            f"Not counted, since not new messages: {format_count(report.others, 'event')} (joins, presses, deletions)."
        )
    if report.unread:
        lines.append(
            f"{len(report.unread):,} could not be read: {to_one_line('; '.join(report.unread[:UNREAD_SHOWN]))}"
        )
    return lines


def to_one_line(text: str) -> str:
    """Return a text as one line without control characters, such as those that move a cursor or change the
    direction."""
    return "".join(c if unicodedata.category(c)[0] != "C" else " " for c in " ".join(text.split()))


def dollars(amount: float | None) -> str:
    """Format an amount; a dash for an unknown one."""
    return "-" if amount is None else f"${amount:,.2f}"


def each_month(count: float | None) -> str:
    """Format the investigations of a month, small numbers with one decimal."""
    if count is None:
        return "-"
    return f"{count:,.1f}" if 0 < count < 10 else f"{count:,.0f}"


def _lines(report: ReplayReport) -> Iterator[str]:
    for name, value in headline(report):
        yield f"{name:16}{value}"
    yield from ("", *remarks(report))
    yield from _channels(report)
    yield from _times("month", by_month(report.days), "%Y-%m", report, limit=MONTHS_SHOWN)
    yield from _times("week of", by_week(report.days), "%Y-%m-%d", report, limit=WEEKS_SHOWN)
    for name in CLASSES:
        samples = _samples(report, name)
        yield from ("", f"{name}: {format_count(len(samples), 'sample')}")
        yield from (f"  {_sample_line(sample)}" for sample in samples)


def _messages(report: ReplayReport) -> str:
    channels = format_count(len(report.channels), "channel")
    days = list(report.days)
    return f"{report.all.total:,} in {channels}" + (f", {days[0]} to {days[-1]}" if days else "")


def _investigations(report: ReplayReport) -> str:
    a_month = report.a_month(report.all)
    return f"{report.all.investigations:,}, one a thread" + (f"; {each_month(a_month)} a month" if a_month else "")


def _cost(report: ReplayReport) -> str:
    a_month = report.cost(report.a_month(report.all))
    monthly = f"; {dollars(a_month)} a month" if a_month is not None else ""
    return f"{dollars(report.cost(report.all.investigations))} at ${report.price:g} each{monthly}"


def _channels(report: ReplayReport) -> Iterator[str]:
    yield from ("", f"{'channel':32}{_HEAD}{'a month':>9}{'cost a month':>14}  verdict")
    for name, counts in islice(report.channels.items(), CHANNELS_SHOWN):
        a_month = report.a_month(counts)
        monthly = f"{each_month(a_month):>9}{dollars(report.cost(a_month)):>14}"
        yield f"{to_one_line(name)[:31] or '(unnamed)':32}{_cells(counts)}{monthly}  {_verdict(report, name)}"
    if len(report.channels) > CHANNELS_SHOWN:
        yield f"and {len(report.channels) - CHANNELS_SHOWN:,} more; --html shows all"


def _verdict(report: ReplayReport, name: str) -> str:
    purpose = report.purposes.get(name)
    return f"{report.verdict(name).label}{f' ({purpose})' if purpose else ''}"


def _times(name: str, parts: dict[date, Counts], form: str, report: ReplayReport, *, limit: int) -> Iterator[str]:
    if not parts:
        return
    yield from ("", f"{name:32}{_HEAD}{'cost':>14}")
    for day, counts in islice(reversed(parts.items()), limit):
        yield f"{day.strftime(form):32}{_cells(counts)}{dollars(report.cost(counts.investigations)):>14}"
    if len(parts) > limit:
        yield f"and {len(parts) - limit:,} more; --html shows them"


_HEAD = f"{'messages':>9}{'actionable':>12}{'ambient':>9}{'ack':>7}{'investigations':>16}"


def _cells(counts: Counts) -> str:
    shares = [f"{counts.share(each):.0%}" for each in CLASSES]
    return f"{counts.total:>9,}{shares[0]:>12}{shares[1]:>9}{shares[2]:>7}{counts.investigations:>16,}"


def _samples(report: ReplayReport, name: Class) -> list[Sample]:
    """Select samples of a class, from each channel in turn."""
    turns: Iterable[Sample | None] = chain.from_iterable(
        zip_longest(*(samples[name] for samples in report.samples.values()))
    )
    return list(islice((sample for sample in turns if sample), SAMPLES_SHOWN))


def _sample_line(sample: Sample) -> str:
    text = to_one_line(sample.text)
    return f"{sample.confidence:.2f}  {text[:_WIDTH]}{'…' if len(text) > _WIDTH else ''}"
