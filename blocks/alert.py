"""Alert of another program on a card: how often it fired, when last, and what its program says since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import Block, clip, context, escape, moment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.alert import Alert, AlertRecord, AlertSource
    from bot.models.thread import Thread

_NAMES: dict[AlertSource, str] = {
    "alertmanager": "Alertmanager",
    "grafana": "Grafana",
    "datadog": "Datadog",
    "sentry": "Sentry",
    "pagerduty": "PagerDuty",
    "other": "another program",
}
_TITLE = 120
"""Characters of the alert's title."""
_MOST_TITLES = 5
"""Alerts of one thread that are named."""


def build_alert_line(thread: Thread) -> list[Block]:
    """Build the line on the alert that a thread was opened for; nothing for other threads."""
    return [context(describe_alert(thread.alert))] if thread.alert and thread.alert.is_certain else []


def describe_alert(record: AlertRecord) -> str:
    """Describe an alert in one line of mrkdwn: its program, how often it fired, and its state."""
    firing = [part.alert for part in record.parts if part.recovered_at is None]
    over = [part.alert for part in record.parts if part.recovered_at is not None]
    named = _list_titles(firing or over) if record.parts else _name(record.alert)
    times = "fired once" if record.fired == 1 else f"fired {record.fired:,} times"
    parts = [f"*Alert of {_NAMES[record.alert.source]}:* {named}", f"{times}, last {moment(record.last_fired_at)}"]
    parts[0] = f"*{len(record.parts)} alerts of {_NAMES[record.alert.source]}:* {named}" if record.parts else parts[0]
    if firing and over:
        parts.append(f"resolved: {_list_titles(over)}")
    if record.recovered_at:
        parts.append(f"resolved {moment(record.recovered_at)}")
    elif record.acknowledged_at:
        parts.append(f"acknowledged {moment(record.acknowledged_at)}")
    return " · ".join(parts)


def _list_titles(alerts: Sequence[Alert]) -> str:
    """Return the names of alerts, the first ones of many."""
    names = [_name(alert) for alert in alerts[:_MOST_TITLES]]
    more = [f"{len(alerts) - _MOST_TITLES:,} more"] if len(alerts) > _MOST_TITLES else []
    return ", ".join([*names, *more])


def _name(alert: Alert) -> str:
    title = escape(clip(alert.title or "without a title", _TITLE))
    return f"<{alert.link}|{title}>" if _is_plain(alert.link) else title


def _is_plain(link: str) -> bool:
    """Return whether an address can stand in a link."""
    return link.startswith(("https://", "http://")) and not any(char in link for char in "<>|\n ")
