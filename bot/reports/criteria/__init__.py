"""Acceptance criteria (spec 1, 7), measured by what a home has recorded. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bot.models.criterion import AcceptanceReport
from bot.reports.criteria.answer_times import measure_speed
from bot.reports.criteria.catches import count_weeks
from bot.reports.criteria.classifier import measure_misses, measure_volume
from bot.reports.criteria.escalations import measure_completion, measure_survival, measure_watching
from bot.reports.criteria.validator import measure_first_rounds, measure_improvement, measure_planted
from bot.reports.criteria.work import measure_concurrency, measure_context

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from bot.models.baseline import Baseline
    from bot.models.evaluation import Evaluation
    from bot.models.message_sample import SampledMessage
    from bot.models.session import Session
    from bot.models.thread import Thread


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """Records of a home from the last weeks, which the criteria are measured by."""

    classified: Sequence[dict[str, Any]] = ()
    replies: Sequence[dict[str, Any]] = ()
    sessions: Sequence[Session] = ()
    threads: Sequence[Thread] = ()
    samples: Sequence[SampledMessage] = ()
    """Rows of all weekly samples."""
    evaluations: Sequence[Evaluation] = ()
    starts: Sequence[datetime] = ()
    """Starts of the bot, oldest first."""
    before: Baseline | None = None
    """Answer times before Triage."""
    before_problem: str = ""
    """The reason why the kept ones cannot be used, as sentences."""
    weeks: Sequence[Baseline | None] = ()
    """Answer times of each of the last weeks, oldest first."""
    damage: str = ""
    """Documents that are left out, as a sentence."""


def build_report(recorded: Recorded, *, now: datetime) -> AcceptanceReport:
    """Measure all criteria, in the order of their ids."""
    return AcceptanceReport(
        until=now,
        criteria=(
            measure_volume(recorded.classified, now=now),
            measure_context(recorded.sessions, now=now),
            measure_concurrency(recorded.threads, recorded.sessions, recorded.replies, now=now),
            measure_planted(recorded.evaluations, now=now),
            measure_first_rounds(recorded.threads, now=now),
            measure_improvement(recorded.threads, now=now),
            measure_completion(recorded.sessions, now=now),
            measure_watching(recorded.threads, now=now),
            measure_survival(recorded.sessions, recorded.threads, recorded.starts, now=now),
            measure_speed(recorded.before, recorded.weeks, now=now, problem=recorded.before_problem),
            measure_misses(recorded.samples, now=now),
        ),
        weeks=count_weeks(recorded.threads, recorded.sessions, now=now),
        damage=recorded.damage,
    )
