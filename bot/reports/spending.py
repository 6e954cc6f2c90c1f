"""Cost of approved answers, by project and week: rejected drafts, chat and validators included. Pure.

Every run of an agent counts where its thread's question belongs; runs without a project, such as most of the chat,
stand in a row of their own, so that the rows add up to all that was spent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from zoneinfo import ZoneInfo

from blocks.cost import format_cost
from blocks.text import format_count
from bot.models.cost import Cost, sum_sessions
from bot.models.repeated_question import ANSWERED_BEFORE
from bot.reports.minutes import read_moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from bot.models.session import Session
    from bot.models.thread import Thread

NO_PROJECT = ""
"""Project of runs and replies that belong to none."""
KEYWORD = "keyword"
"""Engine that costs nothing."""


class SpendingKey(NamedTuple):
    """A row's project, and the Monday of its week in the team's zone."""

    week: date
    project: str


@dataclass(frozen=True, kw_only=True)
class Spending:
    """Spending on a project in a week. Amounts are in US dollars."""

    week: date
    project: str
    cost: Cost
    by_agent: dict[str, float]
    """Maximum cost by agent: `investigator`, `validator`, `chat` …"""
    answers: int
    """Approved replies that were posted; what automatic ones cost counts, and they do not."""
    without_model: dict[str, int]
    """Those of them that cost no model, by engine: `keyword`, `answered before`."""
    usd_by_model: float | None
    """Cost of each answer that a model drafted; `None` without one, or if nothing is known of the cost."""

    @property
    def usd_per_answer(self) -> float | None:
        """Return the cost of each approved answer; `None` without one."""
        return round(self.cost.usd / self.answers, 4) if self.answers else None

    @property
    def saved_usd(self) -> float | None:
        """Return what the answers without a model would have cost at the price of the others; `None` without one."""
        return None if self.usd_by_model is None else round(self.usd_by_model * sum(self.without_model.values()), 4)


def count_spending(
    *, sessions: Sequence[Session], replies: Iterable[dict[str, Any]], threads: Iterable[Thread], zone: str
) -> tuple[Spending, ...]:
    """Return the rows by week, newest first, then by project."""
    projects = {thread.thread_id: thread.project or NO_PROJECT for thread in threads}
    runs: dict[SpendingKey, list[Session]] = defaultdict(list)
    engines: dict[SpendingKey, Counter[str]] = defaultdict(Counter)
    for record in replies:
        thread_id, project = str(record.get("thread_id")), record.get("project")
        projects.setdefault(thread_id, project if isinstance(project, str) else NO_PROJECT)
        at = None if record.get("is_automatic") else read_moment(record.get("posted_at"))
        if at:
            engines[SpendingKey(_find_week(at, zone), projects[thread_id])][str(record.get("engine"))] += 1
    for session in sessions:
        if session.uses_model:
            project = projects.get(session.thread_id or "", NO_PROJECT)
            runs[SpendingKey(_find_week(session.started_at, zone), project)].append(session)
    keys = sorted({*runs, *engines}, key=lambda key: (-key.week.toordinal(), key.project))
    return tuple(_build(key, runs[key], engines[key]) for key in keys)


def format_spending(rows: Sequence[Spending]) -> list[str]:
    """Format the rows as text lines; empty without any."""
    lines = []
    for row in rows:
        each = "" if row.usd_per_answer is None else f", ${row.usd_per_answer:,.2f} each"
        answers = f"{format_count(row.answers, 'approved answer')}{each}"
        without = ", ".join(f"{count} {engine}" for engine, count in row.without_model.items())
        saved = "" if row.saved_usd is None else f", which saved ${row.saved_usd:,.2f}"
        more = f"; without a model: {without}{saved}" if without else ""
        lines.append(f"{row.week} {row.project or 'no project'}: {format_cost(row.cost)} for {answers}{more}.")
    return lines


def _build(key: SpendingKey, sessions: Sequence[Session], engines: Counter[str]) -> Spending:
    by_agent: dict[str, float] = defaultdict(float)
    for session in sessions:
        by_agent[session.agent] += session.spent_usd
    without = {engine: engines[engine] for engine in (KEYWORD, ANSWERED_BEFORE) if engines[engine]}
    cost, by_model = sum_sessions(sessions), engines.total() - sum(without.values())
    return Spending(
        week=key.week,
        project=key.project,
        cost=cost,
        by_agent={agent: round(usd, 4) for agent, usd in sorted(by_agent.items())},
        answers=engines.total(),
        without_model=without,
        usd_by_model=cost.usd / by_model if by_model and cost.most_usd is not None else None,
    )


def _find_week(at: datetime, zone: str) -> date:
    """Return the Monday of a time's week in a zone."""
    day = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(ZoneInfo(zone)).date()
    return day - timedelta(days=day.weekday())
