"""Alerts of other programs in a brief: those that still fire first, then those resolved in its period."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from blocks.alert import describe_alert
from blocks.text import format_count
from bot.models.status_words import state_words
from bot.reports.links import link_question

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from bot.models.thread import Thread

FIRED_WITHIN = timedelta(days=7)
"""Age of the last message of an alert up to which a closed thread counts as firing: not every program posts the end."""


def still_fires(thread: Thread, until: datetime) -> bool:
    """Return whether an alert is not resolved, whatever a person decided about its thread."""
    record = thread.alert
    if record is None or not record.is_certain or record.recovered_at or thread.outcome == "withdrawn":
        return False
    return thread.is_open or record.last_fired_at >= until - FIRED_WITHIN


def sort_alerts(threads: Iterable[Thread], since: datetime, until: datetime) -> tuple[Thread, ...]:
    """Return the alerts that still fire, then those resolved since, each the newest first."""
    by_time = [
        (record.recovered_at or record.last_fired_at, thread)
        for thread in threads
        if (record := thread.alert)
        and (still_fires(thread, until) or (record.recovered_at and record.recovered_at >= since))
    ]
    newest = [thread for _, thread in sorted(by_time, key=lambda pair: pair[0], reverse=True)]
    return tuple(sorted(newest, key=lambda thread: not still_fires(thread, until)))


def describe_alerts(threads: Iterable[Thread], url: str) -> Iterator[str]:
    """Yield a row for each alert, with a link to its thread and, where it still fires, what was decided about it."""
    for thread in threads:
        if thread.alert:
            link = link_question(url, thread.chat_id, thread.original_message_id, thread.root_ts)
            decided = f", {state_words(thread)}" if thread.outcome and not thread.alert.recovered_at else ""
            yield f"{describe_alert(thread.alert)} (<{link}|thread>{decided})"


def count_firing(threads: Sequence[Thread]) -> str:
    """Format the number of alerts that still fire; empty for none."""
    verb = "fires" if len(threads) == 1 else "fire"
    return f"{format_count(len(threads), 'alert')} still {verb}; " if threads else ""
