"""HTML page of a replay's report: readable in light and dark mode and on paper, without scripts.

All user content is escaped; a policy in the page forbids the browser to load anything, and its only links lead to
messages in Slack.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from bot.decide.classify.features import REASONS
from bot.reports.replay import CLASSES, TOO_MANY, Counts, ReplayReport, Sample, Verdict, by_month, by_week
from bot.reports.replay_style import STYLE
from bot.reports.replay_text import dollars, each_month, headline, remarks, to_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date

    from bot.decide.classify.channel_purpose import Purpose

SECTIONS = 40
"""Maximum number of channel sections; the table has all channels."""
WEEKS = 104
"""Maximum number of weeks in the table; the months have all."""
WEEKS_OF_CHANNEL = 13

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_CSS_CLASSES = {"Fits": "fits", "Much to answer": "undecided", "Too many": "many", "Too few to say": "undecided"}


def as_page(report: ReplayReport) -> str:
    """Render the page."""
    title = escape(to_one_line(report.title))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Triage replay: {title}</title>
<style>{STYLE}</style>
</head>
<body><main>
<h1>What Triage would have done</h1>
<p class="soft">{title}, read by rules {escape(report.version) or "(none)"}. Times are UTC.</p>
<dl>{"".join(f"<div><dt>{escape(n.capitalize())}</dt><dd>{escape(v)}</dd></div>" for n, v in headline(report))}</dl>
{"".join(f"<p>{escape(remark)}</p>" for remark in remarks(report))}
{"".join(_parts(report))}
</main></body>
</html>
"""


def _parts(report: ReplayReport) -> Iterator[str]:
    if not report.channels:
        yield "<p>There is no message in it.</p>"
        return
    yield f"<h2>By channel</h2>{_KEY}{_channels(report)}"
    if report.days:
        yield f"<h2>By month</h2>{_KEY}{_times('Month', by_month(report.days), '%Y-%m', report)}"
        weeks = by_week(report.days)
        yield f"<h2>By week</h2>{_note(weeks, WEEKS)}{_KEY}{_times('Week of', _keep(weeks, WEEKS), '%Y-%m-%d', report)}"
    yield '<h2>Channel by channel</h2><p class="soft">With messages chosen at random, each text once, and with the '
    yield "reasons: features for actionable (+) or against it (-), of some acks for ack.</p>"
    for name in list(report.channels)[:SECTIONS]:
        yield f"<section>{_channel(report, name)}</section>"
    if len(report.channels) > SECTIONS:
        yield f"<p>{len(report.channels) - SECTIONS:,} smaller channels have no section here; --channel shows one.</p>"


_KEY = (
    '<p class="key">' + "".join(f'<span><i class="{name}"></i>{name.capitalize()}</span>' for name in CLASSES) + "</p>"
)


def _channels(report: ReplayReport) -> str:
    """Render the table of all channels with their verdicts; a bar's length shows the number of messages."""
    top = max(counts.total for counts in report.channels.values())
    rows = "".join(_channel_row(report, name, counts, top) for name, counts in report.channels.items())
    head = f"{_head('Channel', report)}<th>A month</th>{_if_priced(report, '<th>Cost a month</th>')}"
    limit = f'<p class="soft">At most {TOO_MANY:.0%} of a channel\'s messages may be actionable, in help channels and '
    limit += "discussions; messages are classified by that purpose. In a help channel more is usual.</p>"
    return f'{limit}<table><thead><tr>{head}<th class="words">Verdict</th></tr></thead><tbody>{rows}</tbody></table>'


def _channel_row(report: ReplayReport, name: str, counts: Counts, top: int) -> str:
    a_month = report.a_month(counts)
    cost = _if_priced(report, f"<td>{dollars(report.cost(a_month))}</td>")
    cells = f"{_cells(counts, top)}<td>{each_month(a_month)}</td>{cost}"
    verdict = _format_verdict(report.verdict(name), report.purposes.get(name))
    return f"<tr><td>{_name(name)}</td>{cells}<td class='words'>{verdict}</td></tr>"


def _times(name: str, parts: Mapping[date, Counts], form: str, report: ReplayReport) -> str:
    """Render a table of months or weeks, newest first."""
    top = max(counts.total for counts in parts.values())
    rows = "".join(
        f"<tr><td>{day.strftime(form)}</td>{_cells(counts, top)}"
        + _if_priced(report, f"<td>{dollars(report.cost(counts.investigations))}</td>")
        + "</tr>"
        for day, counts in sorted(parts.items(), reverse=True)
    )
    head = f"{_head(name, report)}{_if_priced(report, '<th>Cost</th>')}"
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _head(name: str, report: ReplayReport) -> str:
    """Render the head of a table; long words may break on narrow pages."""
    shares = "".join(f"<th{_width_class(each)}>{each.capitalize().replace('na', 'n&shy;a')}</th>" for each in CLASSES)
    return f'<th>{name}</th><th>Mes&shy;sages</th><th class="bar">By class</th>{shares}<th>Investi&shy;gations</th>'


def _cells(counts: Counts, top: int) -> str:
    shares = "".join(f"<td{_width_class(each)}>{counts.share(each):.0%}</td>" for each in CLASSES)
    parts = "".join(
        f'<i class="{each}" style="width: {getattr(counts, each) / max(top, 1):.2%}"></i>' for each in CLASSES
    )
    bar = f'<td class="bar"><div class="track" title="{_counts_text(counts)}">{parts}</div></td>'
    return f"<td>{counts.total:,}</td>{bar}{shares}<td>{counts.investigations:,}</td>"


def _width_class(name: str) -> str:
    return "" if name == "actionable" else ' class="wide"'


def _counts_text(counts: Counts) -> str:
    return ", ".join(f"{getattr(counts, name):,} {name}" for name in CLASSES)


def _if_priced(report: ReplayReport, cell: str) -> str:
    return "" if report.price is None else cell


def _format_verdict(verdict: Verdict, purpose: Purpose | None = None) -> str:
    suffix = f" ({purpose})" if purpose else ""
    return f'<span class="{_CSS_CLASSES[verdict.label]}">{verdict.label}</span>{suffix}'


def _channel(report: ReplayReport, name: str) -> str:
    """Render a channel's section: verdict, months, weeks and samples."""
    days = report.channel_days.get(name, {})
    verdict, weeks = report.verdict(name), by_week(days)
    tables = ""
    if days:
        tables = _times("Month", by_month(days), "%Y-%m", report)
        tables += _note(weeks, WEEKS_OF_CHANNEL)
        tables += _times("Week of", _keep(weeks, WEEKS_OF_CHANNEL), "%Y-%m-%d", report)
    samples = "".join(_samples(each.capitalize(), report.samples[name][each]) for each in CLASSES)
    return f"<h3>{_name(name)}</h3><p>{_format_verdict(verdict)}: {escape(verdict.why)}.</p>{tables}{samples}"


def _keep(parts: Mapping[date, Counts], limit: int) -> dict[date, Counts]:
    return dict(list(parts.items())[-limit:])


def _note(weeks: Mapping[date, Counts], limit: int) -> str:
    return f'<p class="soft">The last {limit} of {len(weeks):,} weeks.</p>' if len(weeks) > limit else ""


def _samples(name: str, samples: Iterable[Sample]) -> str:
    items = "".join(f"<li>{_sample(sample)}</li>" for sample in samples)
    return f"<h4>{name}</h4><ol>{items}</ol>" if items else ""


def _sample(sample: Sample) -> str:
    text = f'<bdi class="said" dir="auto">{escape(to_one_line(sample.text)) or "(no text)"}</bdi>'
    reasons = "; ".join(f"{escape(REASONS.get(name, name))} ({weight:+.1f})" for name, weight in sample.reasons)
    about = [f"<bdi>{escape(to_one_line(sample.author))}</bdi>" if sample.author else "", _time(sample), reasons]
    return f'{text}<span class="soft">{" · ".join(filter(None, about))} · sure at {sample.confidence:.0%}</span>'


def _time(sample: Sample) -> str:
    at = f"{sample.at:%Y-%m-%d %H:%M}" if sample.at else ""
    if not sample.link:
        return at
    return f'<a href="{escape(sample.link)}" rel="noopener noreferrer">{at or "in Slack"}</a>'


def _name(name: str) -> str:
    return f'<bdi dir="auto">{escape(to_one_line(name)) or "(unnamed)"}</bdi>'
