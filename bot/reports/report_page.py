"""HTML page of the acceptance report: one file with plots, readable in light and dark mode, narrow and on paper.

Nothing in it is loaded or run; it holds figures and names of projects, and no word of a message.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from blocks.cost import format_cost
from bot.reports.criteria.text import format_figure
from bot.reports.replay_style import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bot.models.criterion import AcceptanceReport, Criterion, WeekCounts, WeekMeasurement
    from bot.reports.spending import Spending

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_CLASSES = {"met": "fits", "not met": "many", "too few cases": "undecided"}
_COLUMNS = {
    "Criterion": "head",
    "Standing": "left",
    "Figure": "",
    "Threshold": "",
    "Cases": "",
    "By week, oldest first": "plot",
}
_SPENDING_COLUMNS = {
    "Week of": "head",
    "Project": "left",
    "Spent": "",
    "Answers": "",
    "Each": "",
    "Without a model": "",
    "Saved": "",
}
_WIDTH, _HEIGHT, _MARGIN = 260, 64, 8
"""Size of a plot and its inner margin, in pixels."""
_STYLE = """
svg { display: block; width: 100%; max-width: 260px; height: auto; } svg .at { fill: var(--ack); }
svg .span { stroke: var(--ambient); stroke-width: 2; } svg .line { fill: none; stroke: var(--ack); stroke-width: 1.5; }
svg .floor { stroke: var(--line); } .plot { width: 270px; text-align: left; } td.left, th.left { text-align: left; }
@media screen and (max-width: 720px) { table { font-size: 13px; }
  .rows, .rows tbody, .rows td { display: block; } .rows thead { position: absolute; clip-path: inset(50%); }
  .rows tr { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 8px 12px; padding: 12px 0;
    border-bottom: 1px solid var(--line); }
  .rows td { border: 0; padding: 0; text-align: left; }
  .rows td:first-child { grid-column: 1 / -1; } .rows .plot { grid-column: span 2; width: auto; }
  .rows [data-name]::before { content: attr(data-name); display: block; color: var(--soft); } }
"""


def render_page(report: AcceptanceReport, spending: Sequence[Spending]) -> str:
    """Render the page."""
    counts = (f"{sum(each.standing == name for each in report.criteria)} {name}" for name in _CLASSES)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Triage: acceptance report</title>
<style>{STYLE}{_STYLE}</style>
</head>
<body><main>
<h1>Does Triage meet its acceptance criteria?</h1>
<p class="soft">{report.until:%Y-%m-%d %H:%M} UTC: {escape(", ".join(counts))}. Brackets hold 95 % intervals.</p>
{_render_rows(_COLUMNS, map(_cells_of_criterion, report.criteria))}
{_render_weeks(report.weeks)}
{f"<p>{escape(report.damage)}</p>" if report.damage else ""}
{_render_spending(spending)}
</main></body>
</html>
"""


def _render_rows(columns: Mapping[str, str], rows: Iterable[Sequence[str]]) -> str:
    """Render a table that a narrow screen shows row by row, each cell with its column's name; `columns` are names and
    classes. The roles keep it a table there."""
    heads = "".join(f'<th role="columnheader" class="{kind}">{name}</th>' for name, kind in columns.items())
    lines = "".join(
        f'<tr role="row">{"".join(map(_render_cell, columns, columns.values(), row))}</tr>\n' for row in rows
    )
    return (
        f'<table class="rows" role="table"><thead role="rowgroup"><tr role="row">{heads}</tr></thead>'
        f'<tbody role="rowgroup">{lines}</tbody></table>'
    )


def _render_cell(name: str, kind: str, content: str) -> str:
    named = "" if kind == "head" else f' data-name="{name}"'
    return f'<td role="cell" class="{kind}"{named}>{content}</td>'


def _cells_of_criterion(criterion: Criterion) -> tuple[str, ...]:
    found, unit = criterion.measurement, criterion.unit
    figure = escape(format_figure(found.figure, unit))
    if found.low is not None and found.high is not None:
        span = f"{format_figure(found.low, unit)} to {format_figure(found.high, unit)}"
        figure += f'<br><span class="soft">({escape(span)})</span>'
    missing = f'<br><span class="soft">{criterion.missing:,} missing</span>' if criterion.missing else ""
    note = f'<br><span class="soft">{escape(criterion.note)}</span>' if criterion.note else ""
    return (
        f"<strong>{criterion.id}</strong> {escape(criterion.name)}"
        f'<br><span class="soft">{escape(criterion.definition)}</span>{note}',
        f'<span class="{_CLASSES[criterion.standing]}">{criterion.standing}</span>{missing}',
        figure,
        escape(criterion.threshold),
        f'{found.cases:,}<br><span class="soft">in {criterion.days} days</span>',
        _plot(criterion),
    )


def _plot(criterion: Criterion) -> str:
    """Plot the weeks that have a figure, with their intervals; one week alone is a point, none is a dash."""
    weeks = [(number, week) for number, week in enumerate(criterion.trend) if week.figure is not None]
    if not weeks:
        return "-"
    top = 1.0 if criterion.unit == "share" else max(_find_top(week) for _, week in weeks) or 1.0
    step = (_WIDTH - 2 * _MARGIN) / max(len(criterion.trend) - 1, 1)

    def place(number: int, value: float) -> tuple[float, float]:
        return _MARGIN + number * step, _HEIGHT - _MARGIN - min(value / top, 1.0) * (_HEIGHT - 2 * _MARGIN)

    points = [place(number, week.figure or 0.0) for number, week in weeks]
    spans = "".join(
        _draw_span(place(number, week.low), place(number, week.high))
        for number, week in weeks
        if week.low is not None and week.high is not None
    )
    dots = "".join(f'<circle class="at" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in points)
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    said = ", ".join(f"{week.since:%Y-%m-%d} {format_figure(week.figure, criterion.unit)}" for _, week in weeks)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(f"{criterion.name}, by week: {said}")}">'
        f"<title>{escape(said)}</title>"
        f'<line class="floor" x1="0" y1="{_HEIGHT - _MARGIN}" x2="{_WIDTH}" y2="{_HEIGHT - _MARGIN}"/>'
        f'{spans}<polyline class="line" points="{line}"/>{dots}</svg>'
    )


def _find_top(week: WeekMeasurement) -> float:
    return max(week.figure or 0.0, week.high or 0.0)


def _draw_span(low: tuple[float, float], high: tuple[float, float]) -> str:
    return f'<line class="span" x1="{low[0]:.1f}" y1="{low[1]:.1f}" x2="{high[0]:.1f}" y2="{high[1]:.1f}"/>'


def _render_weeks(weeks: Iterable[WeekCounts]) -> str:
    """Render the counts beside the criteria."""
    rows = "".join(
        f"<tr><td>{week.since:%Y-%m-%d}</td><td>{week.caught_by_code}</td><td>{week.caught_by_validator}</td>"
        f"<td>{week.escalations}</td></tr>"
        for week in weeks
    )
    return (
        "<h2>By week</h2><table><thead><tr><th>Since</th><th>Hallucinated references, caught by code</th>"
        f"<th>Caught by the validator</th><th>Long runs</th></tr></thead><tbody>{rows}</tbody></table>"
    )


def _render_spending(rows: Iterable[Spending]) -> str:
    """Render the cost of approved answers; nothing without any run or answer."""
    lines = [_cells_of_spending(row) for row in rows]
    if not lines:
        return ""
    return (
        '<h2>Cost of approved answers</h2><p class="soft">By project and week; rejected drafts, chat and validators '
        f"included. Saved: what answers without a model would have cost at the price of the others.</p>"
        f"{_render_rows(_SPENDING_COLUMNS, lines)}"
    )


def _cells_of_spending(row: Spending) -> tuple[str, ...]:
    cells = (
        format_cost(row.cost),
        str(row.answers),
        _format_usd(row.usd_per_answer),
        ", ".join(f"{count} {engine}" for engine, count in row.without_model.items()) or "0",
        _format_usd(row.saved_usd),
    )
    return (str(row.week), *map(escape, (row.project or "none", *cells)))


def _format_usd(usd: float | None) -> str:
    return "-" if usd is None else f"${usd:,.2f}"
