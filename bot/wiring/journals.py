"""Journals of a bot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.ports.outbound import Journal
    from bot.ports.storage import Storage
    from bot.runtime.stop_request import StopRequest

UNHURRIED = 0.05
"""Seconds for which classified messages are gathered in busy times to share a sync; no ack waits for them."""


@dataclass(frozen=True, kw_only=True)
class Journals:
    """Append-only records."""

    events: Journal
    classified: Journal
    replies: Journal
    audit: Journal
    labels: Journal
    feedback: Journal
    judgements: Journal


def open_journals(storage: Storage, stop: StopRequest) -> Journals:
    """Open the journals; only `events` may refuse records, since Slack sends those again."""
    return Journals(
        events=storage.journal("events", stop),
        classified=storage.journal("events-classified", stop, may_refuse=False, gathering=UNHURRIED),
        replies=storage.journal("replies", stop, may_refuse=False),
        audit=storage.journal("audit", stop, may_refuse=False),
        labels=storage.journal("labels", stop, may_refuse=False),
        feedback=storage.journal("feedback", stop, may_refuse=False),
        judgements=storage.journal("judgements", stop, may_refuse=False),
    )
