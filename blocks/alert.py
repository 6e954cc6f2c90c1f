"""Alert of another program on a card: how often it fired, when last, and what its program says since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import Block, clip, context, escape, moment

if TYPE_CHECKING:
    from bot.models.alert import AlertRecord, AlertSource
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


def build_alert_line(thread: Thread) -> list[Block]:
    """Build the line on the alert that a thread was opened for; nothing for other threads."""
    return [context(describe_alert(thread.alert))] if thread.alert and thread.alert.is_certain else []


def describe_alert(record: AlertRecord) -> str:
    """Describe an alert in one line of mrkdwn: its program, how often it fired, and its state."""
    title = escape(clip(record.alert.title or "without a title", _TITLE))
    named = f"<{record.alert.link}|{title}>" if _is_plain(record.alert.link) else title
    times = "fired once" if record.fired == 1 else f"fired {record.fired:,} times"
    parts = [f"*Alert of {_NAMES[record.alert.source]}:* {named}", f"{times}, last {moment(record.last_fired_at)}"]
    if record.recovered_at:
        parts.append(f"resolved {moment(record.recovered_at)}")
    elif record.acknowledged_at:
        parts.append(f"acknowledged {moment(record.acknowledged_at)}")
    return " · ".join(parts)


def _is_plain(link: str) -> bool:
    """Return whether an address can stand in a link."""
    return link.startswith(("https://", "http://")) and not any(char in link for char in "<>|\n ")
