"""A replay's report as one HTML page: readable in light and dark, without a script and without anything from outside.

All that people wrote, channel names included, is escaped; a policy in the page forbids the browser to load anything.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from bot.reports.charts import bars, columns
from bot.reports.replay import CLASSES, Counts, Report, Sample
from bot.reports.replay_text import headline, plain, remarks

if TYPE_CHECKING:
    from collections.abc import Iterable

CHART_CHANNELS = 25
"""Channels in the chart; the table has all."""

_STYLE = """
:root { color-scheme: light dark; --page: #fff; --text: #1b1f24; --soft: #5b6570; --line: #d8dee4; --card: #f6f8fa;
  --actionable: #c2500a; --ambient: #8b98a5; --ack: #1f7a8c; }
@media (prefers-color-scheme: dark) { :root { --page: #0f1419; --text: #e6e9ec; --soft: #9aa5b1; --line: #2d343c;
  --card: #171d24; --actionable: #f08a3c; --ambient: #6b7784; --ack: #4fb3c6; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 24px; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 36px 0 8px; }
p { margin: 4px 0; } .soft { color: var(--soft); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(210px, 1fr)); gap: 12px; margin: 20px 0; }
dl div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; }
dt { color: var(--soft); font-size: 13px; } dd { margin: 0; font-weight: 600; }
.beside { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 24px; align-items: start; }
@media (max-width: 900px) { .beside { grid-template-columns: minmax(0, 1fr); } }
.scroll { max-height: 360px; overflow: auto; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { padding: 5px 8px; text-align: right; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; }
th { position: sticky; top: 0; background: var(--card); font-weight: 600; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; min-width: 7.5em; }
svg { width: 100%; height: auto; font-size: 12px; } svg text { fill: var(--soft); } svg line { stroke: var(--line); }
.actionable { fill: var(--actionable); } .ambient { fill: var(--ambient); } .ack { fill: var(--ack); }
.key { display: flex; gap: 16px; margin: 8px 0; } .key span::before { content: ""; display: inline-block; width: 11px;
  height: 11px; border-radius: 3px; margin-right: 6px; background: var(--colour); }
ol { padding-left: 28px; } li { margin: 6px 0; overflow-wrap: anywhere; } bdi { unicode-bidi: isolate; }
details { margin: 8px 0; } summary { cursor: pointer; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def as_page(report: Report) -> str:
    """The whole page."""
    title = escape(plain(report.title))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Triage replay: {title}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>What Triage would have done</h1>
<p class="soft">{title}, read by rules {escape(report.version) or "(none)"}. Times are UTC.</p>
<dl>{"".join(f"<div><dt>{escape(n.capitalize())}</dt><dd>{escape(v)}</dd></div>" for n, v in headline(report))}</dl>
{"".join(f"<p>{escape(remark)}</p>" for remark in remarks(report))}
{_KEY}
{_days(report)}
{_channels(report)}
<h2>Samples</h2>
<p class="soft">Chosen by chance, with the confidence of the rules.</p>
{"".join(_samples(name.capitalize(), report.samples[name]) for name in CLASSES)}
</body>
</html>
"""


_KEY = (
    '<p class="key">'
    + "".join(f'<span style="--colour: var(--{name})">{name.capitalize()}</span>' for name in CLASSES)
    + "</p>"
)


def _days(report: Report) -> str:
    if not report.days:
        return ""
    rows = [(str(day), counts) for day, counts in reversed(report.days.items())]
    table = _table("Day", rows)
    return (
        f'<h2>By day</h2><div class="beside"><div>{columns(report.days)}</div><div class="scroll">{table}</div></div>'
    )


def _channels(report: Report) -> str:
    if not report.channels:
        return ""
    charted = dict(list(report.channels.items())[:CHART_CHANNELS])
    chart = bars({plain(name): counts for name, counts in charted.items()})
    table = _table("Channel", report.channels.items())
    each = "".join(
        f"<details><summary><bdi>{escape(plain(name)) or '(unnamed)'}</bdi>, by day</summary>"
        f'<div class="scroll">{_table("Day", [(str(day), c) for day, c in reversed(days.items())])}</div></details>'
        for name, days in report.channel_days.items()
    )
    beside = f'<div class="beside"><div>{chart}</div><div class="scroll">{table}</div></div>'
    return f"<h2>By channel</h2>{beside}{each}"


def _table(name: str, rows: Iterable[tuple[str, Counts]]) -> str:
    head = "".join(f"<th>{each}</th>" for each in (name, "Messages", "Actionable", "Ambient", "Ack", "Investigations"))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(_row(*row) for row in rows)}</tbody></table>"


def _row(name: str, counts: Counts) -> str:
    shares = "".join(f"<td>{counts.share(each):.0%}</td>" for each in CLASSES)
    title = escape(plain(name)) or "(unnamed)"
    return f"<tr><td><bdi>{title}</bdi></td><td>{counts.total:,}</td>{shares}<td>{counts.investigations:,}</td></tr>"


def _samples(name: str, samples: list[Sample]) -> str:
    shown = "".join(
        f'<li><bdi dir="auto">{escape(plain(sample.text)) or "(no text)"}</bdi> '
        f'<span class="soft">{sample.confidence:.2f}{_place(sample)}</span></li>'
        for sample in samples
    )
    return f"<details open><summary>{name}: {len(samples)}</summary><ol>{shown}</ol></details>"


def _place(sample: Sample) -> str:
    channel = f", #{escape(plain(sample.channel))}" if sample.channel else ""
    return channel + (f", {sample.at:%Y-%m-%d %H:%M}" if sample.at else "")
