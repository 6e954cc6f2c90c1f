"""What the day has come to so far, for the App Home and for `status`.

Read from the audit, the day's documents and the runs' records.
"""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from bot.errors import TriageError
from bot.models.home import Today
from bot.reports.metrics import decision

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.ports.outbound import Clock, Journal, Sessions, Store

MOST = 1_000
"""The day's questions that are read at most, the newest ones."""


async def today(*, audit: Journal, store: Store, sessions: Sessions, now: datetime, zone: str) -> Today:
    """The figures since midnight in `zone`."""
    since = midnight(now, zone)
    decided = [decision(record) async for record in audit.records(since=since) if _is_of(record, since)]
    runs = await sessions.since(since.date())
    return Today(
        drafts=await _drafts(store, since),
        approved=decided.count("approvals"),
        bounced=decided.count("bounces"),
        cost_usd=sum(session.spent_usd for session in runs if session.started_at >= since),
    )


async def spent_before(sessions: Sessions, clock: Clock) -> Callable[[], float]:
    """US dollars of this day (UTC) as far as they are spent by now; 0 once another day has begun.

    What `status` says where no ledger counts on: an engine without one adds nothing.
    """
    day = clock.now().date()
    spent = sum(session.spent_usd for session in await sessions.since(day))
    return lambda: spent if clock.now().date() == day else 0.0


def midnight(now: datetime, zone: str) -> datetime:
    """When the day of `now` began on the wall clocks of `zone`, in UTC."""
    day = now.astimezone(ZoneInfo(zone)).date()
    return datetime.combine(day, time(), tzinfo=ZoneInfo(zone)).astimezone(UTC)


def _is_of(record: dict[str, Any], since: datetime) -> bool:
    """Return whether a line of the audit is of this day."""
    try:
        return datetime.fromisoformat(record["at"]) >= since
    except (KeyError, TypeError, ValueError):
        return False


async def _drafts(store: Store, since: datetime) -> int:
    """Drafts made since for the questions whose threads began since; one that does not parse is left out.

    An edit is none: whoever drafts hands it on to be checked.
    """
    began = [name for name in await store.thread_ids() if float(name.rpartition("-")[2]) >= since.timestamp()]
    made = 0
    for name in sorted(began, key=lambda name: float(name.rpartition("-")[2]))[-MOST:]:
        try:
            thread = await store.load(name)
        except TriageError:
            continue
        lines = thread.status_history if thread else ()
        made += sum(line.next == "awaiting-validation" and line.at >= since for line in lines)
    return made
