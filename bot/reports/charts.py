"""Charts as SVG inside a page: stacked columns for days, stacked bars for channels. No script, nothing from outside."""

from __future__ import annotations

from datetime import date, timedelta
from html import escape
from typing import TYPE_CHECKING

from bot.reports.replay import CLASSES, Counts

if TYPE_CHECKING:
    from collections.abc import Mapping

COLUMNS = 120
"""With more days than this a column is a week or more."""
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 560, 300, 44, 20
_ROW, _NAME = 26, 170


def columns(days: Mapping[date, Counts]) -> str:
    """Messages by day; days without one are there too, so that time runs evenly."""
    groups, step = _grouped(days)
    top = max(counts.total for counts in groups.values())
    width = (_WIDTH - _LEFT) / len(groups)
    drawn = [_rule(0, top), _rule(top / 2, top), _rule(top, top)]
    for index, (day, counts) in enumerate(groups.items()):
        below = float(_HEIGHT - _BOTTOM)
        shapes = []
        for name in CLASSES:
            height = getattr(counts, name) / top * (_HEIGHT - _BOTTOM - 10)
            below -= height
            shapes.append(
                f'<rect class="{name}" x="{_LEFT + index * width:.1f}" y="{below:.1f}" '
                f'width="{max(width * 0.86, 0.8):.1f}" height="{height:.1f}"/>'
            )
        until = f" to {day + timedelta(days=step - 1)}" if step > 1 else ""
        drawn.append(f"<g><title>{day}{until}: {_said(counts)}</title>{''.join(shapes)}</g>")
    first, last = min(groups), max(groups)
    drawn.append(f'<text x="{_LEFT}" y="{_HEIGHT - 4}">{first}</text>')
    drawn.append(f'<text x="{_WIDTH}" y="{_HEIGHT - 4}" text-anchor="end">{last}</text>')
    return _svg(_HEIGHT, "Messages by day" if step == 1 else f"Messages by {step} days", "".join(drawn))


def bars(channels: Mapping[str, Counts]) -> str:
    """Messages by channel."""
    top = max(counts.total for counts in channels.values())
    drawn = []
    for index, (channel, counts) in enumerate(channels.items()):
        x, y = float(_NAME), index * _ROW + 4
        shapes = []
        for name in CLASSES:
            width = getattr(counts, name) / top * (_WIDTH - _NAME)
            shapes.append(f'<rect class="{name}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_ROW - 8}"/>')
            x += width
        label = escape(channel if len(channel) <= 22 else f"{channel[:21]}…") or "(unnamed)"
        drawn.append(
            f"<g><title>{escape(channel)}: {_said(counts)}</title>"
            f'<text x="{_NAME - 8}" y="{y + 13}" text-anchor="end">{label}</text>{"".join(shapes)}</g>'
        )
    return _svg(len(channels) * _ROW + 4, "Messages by channel", "".join(drawn))


def _grouped(days: Mapping[date, Counts]) -> tuple[dict[date, Counts], int]:
    """Columns of equal length from the first day to the last, and the days in each."""
    first, last = min(days), max(days)
    span = (last - first).days + 1
    step = 1 if span <= COLUMNS else max(7, -(-span // COLUMNS))
    groups = {first + timedelta(days=step * index): Counts() for index in range(-(-span // step))}
    for day, counts in days.items():
        group = groups[first + timedelta(days=(day - first).days // step * step)]
        for name in CLASSES:
            setattr(group, name, getattr(group, name) + getattr(counts, name))
    return groups, step


def _rule(value: float, top: int) -> str:
    y = _HEIGHT - _BOTTOM - value / top * (_HEIGHT - _BOTTOM - 10)
    return (
        f'<line x1="{_LEFT}" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
        f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:,.0f}</text>'
    )


def _said(counts: Counts) -> str:
    return ", ".join(f"{getattr(counts, name):,} {name}" for name in CLASSES)


def _svg(height: int, label: str, content: str) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{label}">{content}</svg>'
