"""Figures of the current day, for the App Home and for `status`.

They are read from the audit log, the day's documents and the run records.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from bot.errors import TriageError
from bot.models.cost import Cost, sum_sessions
from bot.models.home import Today
from bot.reports.metrics import decision

if TYPE_CHECKING:
    from datetime import date

    from bot.agents.ledger import Ledger
    from bot.ports.outbound import Clock, Sessions, Store
    from bot.reports.metrics import Sources

MAX_QUESTIONS = 1_000
"""Maximum number of the day's questions that are read, the newest ones."""


@dataclass(frozen=True, kw_only=True)
class DayFigures:
    """Counts from midnight in `zone`."""

    sources: Sources
    clock: Clock
    zone: str

    async def count(self) -> Today:
        """Count drafts, decisions and cost of this day."""
        since = midnight(self.clock.now(), self.zone)
        decisions = [
            decision(record) async for record in self.sources.audit.records(since=since) if _is_of(record, since)
        ]
        runs = await self.sources.sessions.list_since(since.date())
        return Today(
            drafts=await _drafts(self.sources.store, since),
            approved=decisions.count("approvals"),
            bounced=decisions.count("bounces"),
            cost=sum_sessions(session for session in runs if session.started_at >= since),
        )


@dataclass(frozen=True, kw_only=True)
class Spending:
    """Costs of the current day (UTC), in US dollars: those of the ledger, or without one, for an engine that adds no
    cost, those that runs `earlier` on `day` had."""

    ledger: Ledger | None
    clock: Clock
    day: date
    earlier: Cost

    @property
    def today(self) -> Cost:
        """Return the costs of this day so far."""
        if self.ledger:
            return self.ledger.cost_today
        return self.earlier if self.clock.now().date() == self.day else Cost()


async def read_spending(ledger: Ledger | None, sessions: Sessions, clock: Clock) -> Spending:
    """Read the costs that the day had before the start."""
    day = clock.now().date()
    earlier = Cost() if ledger else sum_sessions(await sessions.list_since(day))
    return Spending(ledger=ledger, clock=clock, day=day, earlier=earlier)


def midnight(now: datetime, zone: str) -> datetime:
    """Return the begin of the day of `now` in `zone`, in UTC."""
    day = now.astimezone(ZoneInfo(zone)).date()
    return datetime.combine(day, time(), tzinfo=ZoneInfo(zone)).astimezone(UTC)


def _is_of(record: dict[str, Any], since: datetime) -> bool:
    """Return whether a line of the audit log is of this day."""
    try:
        return datetime.fromisoformat(record["at"]) >= since
    except (KeyError, TypeError, ValueError):
        return False


async def _drafts(store: Store, since: datetime) -> int:
    """Count the drafts since then for threads that began since; skip those that do not parse.

    An edit is not a draft; drafts are the ones passed on to validation for the first time.
    """
    began = [name for name in await store.thread_ids() if float(name.rpartition("-")[2]) >= since.timestamp()]
    drafts = 0
    for name in sorted(began, key=lambda name: float(name.rpartition("-")[2]))[-MAX_QUESTIONS:]:
        try:
            thread = await store.load(name)
        except TriageError:
            continue
        lines = thread.status_history if thread else ()
        drafts += sum(
            line.next == "awaiting-validation" and line.previous != "pending-user" and line.at >= since
            for line in lines
        )
    return drafts
