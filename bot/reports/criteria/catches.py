"""Counts by week beside the criteria: hallucinated references that were caught, and long runs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.gate import FABRICATED, INVALID
from bot.models.criterion import WeekCounts
from bot.reports.criteria.measuring import Case, split_weeks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from bot.models.session import Session
    from bot.models.thread import Thread


def count_weeks(threads: Iterable[Thread], sessions: Iterable[Session], *, now: datetime) -> tuple[WeekCounts, ...]:
    """Return the counts of the last weeks, oldest first; a draft counts once, whatever its references."""
    caught = [case for thread in threads for case in _find_catches(thread) if case.at <= now]
    escalated = [
        Case(session.started_at, 1)
        for session in sessions
        if session.tier > 1 and session.agent == "investigator" and session.started_at <= now
    ]
    return tuple(
        WeekCounts(
            since=since,
            caught_by_code=sum(not case.value for case in of_week),
            caught_by_validator=sum(bool(case.value) for case in of_week),
            escalations=len(runs),
        )
        for (since, of_week), (_, runs) in zip(split_weeks(caught, now), split_weeks(escalated, now), strict=True)
    )


def _find_catches(thread: Thread) -> Iterator[Case]:
    """Yield a case for each draft of the current question with a reference that does not stand.

    Its value is 1 if the validator's spot-check found that, 0 if code did.
    """
    verdicts = [each for each in thread.judged if each.question_round == thread.question_round]
    reasons = [sent_back.attack for sent_back in thread.rounds if sent_back.by != "operator"]
    if thread.verdict and thread.verdict.verdict == "bounce":
        reasons.append(" ".join(thread.verdict.reasons))
    stopped: Sequence[datetime] = [each.at for each in verdicts if each.verdict == "bounce"]
    for at, reason in zip(stopped, reasons, strict=False):
        if INVALID in reason:
            yield Case(at, 0)
        elif FABRICATED in reason:
            yield Case(at, 1)
