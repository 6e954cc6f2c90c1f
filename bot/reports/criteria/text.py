"""Text of the acceptance report, for a terminal. Pure."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import TYPE_CHECKING

from blocks.text import format_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.criterion import AcceptanceReport, Criterion, Unit, WeekCounts

_INDENT = " " * 7
_WIDTH = 110


def format_report(report: AcceptanceReport) -> list[str]:
    """Return the lines of the report: a summary, then each criterion with its definition, figures and trend."""
    lines = [f"Acceptance criteria on {report.until:%Y-%m-%d %H:%M} UTC: {count_standings(report)}."]
    for criterion in report.criteria:
        lines += ["", *_format_criterion(criterion)]
    return [
        *lines,
        "",
        *_format_weeks(report.weeks),
        *([report.damage] if report.damage else []),
        "In brackets: 95 % intervals (Wilson for shares, order statistics for medians).",
    ]


def _format_weeks(weeks: Sequence[WeekCounts]) -> list[str]:
    """Return the counts beside the criteria, each by week."""
    rows = {
        "Drafts with a hallucinated reference that code caught": [week.caught_by_code for week in weeks],
        "Those that the validator caught": [week.caught_by_validator for week in weeks],
        "Long runs that were started": [week.escalations for week in weeks],
    }
    return [f"{name}, by week: {', '.join(map(str, counts))}." for name, counts in rows.items()] if weeks else []


def count_standings(report: AcceptanceReport) -> str:
    """Count the criteria by standing, without a full stop."""
    counts = Counter(each.standing for each in report.criteria)
    return f"{counts['met']} met, {counts['not met']} not met, {counts['too few cases']} with too few cases"


def summarize_report(report: AcceptanceReport) -> list[str]:
    """Return the counts, and a line for each criterion that is not met."""
    missed = [each for each in report.criteria if each.standing == "not met"]
    lines = [f"{each.id} {each.name}: {format_measurement(each)}; threshold: {each.threshold}." for each in missed]
    return [f"{count_standings(report)}.", *lines]


def format_measurement(criterion: Criterion) -> str:
    """Format a criterion's figure with its interval."""
    found, unit = criterion.measurement, criterion.unit
    figure = format_figure(found.figure, unit)
    if found.low is None or found.high is None:
        return figure
    return f"{figure} ({format_figure(found.low, unit)} to {format_figure(found.high, unit)})"


def _format_criterion(criterion: Criterion) -> list[str]:
    missing = f", {criterion.missing:,} missing" if criterion.missing else ""
    found, unit = criterion.measurement, criterion.unit
    cases = f"{format_count(found.cases, 'case')} in {criterion.days} days"
    texts = [f"{format_measurement(criterion)}; threshold: {criterion.threshold}; {cases}.", criterion.definition]
    if any(week.cases for week in criterion.trend):
        weeks = ", ".join(format_figure(week.figure, unit) for week in criterion.trend)
        texts.append(f"By week, oldest first: {weeks}.")
    lines = [f"{criterion.id}  {criterion.name}: {criterion.standing}{missing}"]
    for text in (*texts, criterion.note):
        lines += textwrap.wrap(text, _WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)
    return lines


def format_figure(figure: float | None, unit: Unit) -> str:
    """Format a figure in its unit; `-` without one."""
    if figure is None:
        return "-"
    if unit == "share":
        return f"{round(100 * figure, 1):g} %"
    return f"{figure:,.0f} {'tokens' if unit == 'tokens' else 's'}"
