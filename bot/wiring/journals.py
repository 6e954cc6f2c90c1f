"""Journals of a home."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bot.adapters.journal import NdjsonJournal

if TYPE_CHECKING:
    from bot.adapters.home import Home
    from bot.runtime.stop_request import StopRequest

UNHURRIED = 0.05
"""Seconds for which classified messages are gathered in busy times to share a sync; no ack waits for them."""


@dataclass(frozen=True, kw_only=True)
class Journals:
    """Append-only files of the home."""

    events: NdjsonJournal
    classified: NdjsonJournal
    replies: NdjsonJournal
    audit: NdjsonJournal
    labels: NdjsonJournal
    feedback: NdjsonJournal
    judgements: NdjsonJournal


def open_journals(home: Home, stop: StopRequest) -> Journals:
    """Open the journals of a home; only `events` may refuse records, since Slack sends those again."""
    steady = partial(NdjsonJournal, stop=stop, may_refuse=False)
    return Journals(
        events=NdjsonJournal(home.events, stop=stop),
        classified=steady(home.classified, gathering=UNHURRIED),
        replies=steady(home.replies),
        audit=steady(home.audit),
        labels=steady(home.labels),
        feedback=steady(home.feedback),
        judgements=steady(home.judgements),
    )
