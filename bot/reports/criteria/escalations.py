"""Criteria of long runs: their end, the way to watch them, and restarts of the bot during one. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.reports.criteria.measuring import Case, Definition, measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from bot.models.criterion import Criterion
    from bot.models.session import Session
    from bot.models.thread import Thread

COMPLETION = Definition(
    id="AC-07",
    name="Long runs end with a result file",
    text="Share of ended runs of tiers 2 and 3 that wrote return.json, whatever it says; runs that a person stopped do "
    "not count.",
    threshold="all",
    is_met=lambda share: share == 1,
    fewest=1,
)
WATCHING = Definition(
    id="AC-08",
    name="People can watch a long run",
    text="Share of started runs of the threads' current questions that had a command to watch them and a transcript.",
    threshold="all",
    is_met=lambda share: share == 1,
    fewest=1,
)
SURVIVAL = Definition(
    id="AC-09",
    name="Long runs survive a restart of the bot",
    text="Share of runs of tiers 2 and 3 with a start of the bot between their begin and their end that wrote their "
    "result, and whose thread went on with it.",
    threshold="all",
    is_met=lambda share: share == 1,
    fewest=1,
)
_LOST = "died"


def measure_completion(sessions: Iterable[Session], *, now: datetime) -> Criterion:
    """Measure AC-07 by the sessions of long runs."""
    return measure(COMPLETION, [Case(each.saved_at, each.outcome != _LOST) for each in _ended(sessions)], now=now)


def measure_watching(threads: Iterable[Thread], *, now: datetime) -> Criterion:
    """Measure AC-08 by the documents of threads."""
    started = [(thread, thread.escalation) for thread in threads if thread.escalation]
    cases = [
        Case(run.started_at, bool(run.watch_command and thread.escalation_transcript_path))
        for thread, run in started
        if run.started_at
    ]
    return measure(WATCHING, cases, now=now)


def measure_survival(
    sessions: Iterable[Session], threads: Iterable[Thread], starts: Sequence[datetime], *, now: datetime
) -> Criterion:
    """Measure AC-09 by the sessions of long runs, the documents of their threads, and the starts of the bot."""
    left: dict[str, list[datetime]] = {
        thread.thread_id: [change.at for change in thread.status_history if change.previous == "escalated"]
        for thread in threads
    }
    cases = []
    for session in _ended(sessions):
        between = [at for at in starts if session.started_at < at < session.saved_at]
        if between and session.thread_id in left:
            goes_on = any(at >= between[-1] for at in left[session.thread_id])
            cases.append(Case(session.saved_at, session.outcome != _LOST and goes_on))
    return measure(SURVIVAL, cases, now=now)


def _ended(sessions: Iterable[Session]) -> list[Session]:
    """Return the investigators' long runs that have ended by themselves."""
    return [
        session
        for session in sessions
        if session.tier > 1 and session.agent == "investigator" and session.outcome not in ("running", "cancelled")
    ]
