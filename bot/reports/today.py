"""What the day has come to so far, for the App Home and for `status`.

Read from the audit, the day's documents and the runs' records.
"""

from __future__ import annotations

from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from bot.errors import TriageError
from bot.models.home import Today

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.ports import Clock, Journal, Sessions, Store

MOST = 1_000
"""The day's questions that are read at most, the newest ones."""

_APPROVALS = ("approve", "post_anyway")


async def today(*, audit: Journal, store: Store, sessions: Sessions, now: datetime, zone: str) -> Today:
    """The figures since midnight in `zone`."""
    since = midnight(now, zone)
    pressed = [record async for record in audit.records(since=since) if _counts(record, since)]
    runs = await sessions.since(since.date())
    return Today(
        drafts=await _drafts(store, since),
        approved=sum(record.get("action") in _APPROVALS for record in pressed),
        bounced=sum(record.get("action") == "bounce" and "channel_id" not in record for record in pressed),
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


def _counts(record: dict[str, Any], since: datetime) -> bool:
    """Whether a line of the audit is a decision of this day; a dialog that was opened is none."""
    if record.get("result") != "done" or record.get("kind") == "command":
        return False
    try:
        return datetime.fromisoformat(record["at"]) >= since
    except (KeyError, TypeError, ValueError):
        return False


async def _drafts(store: Store, since: datetime) -> int:
    """Drafts of the questions whose threads began since; one that does not parse is left out."""
    began = [name for name in await store.thread_ids() if float(name.rpartition("-")[2]) >= since.timestamp()]
    made = 0
    for name in sorted(began, key=lambda name: float(name.rpartition("-")[2]))[-MOST:]:
        try:
            thread = await store.load(name)
        except TriageError:
            continue
        made += thread.drafts_made if thread else 0
    return made
