"""Statistics of the validator: first drafts passed, bounced and escalated, and a warning for an extreme share. Pure.

A validator that passes everything is a rubber stamp, one that passes hardly anything is an obstacle; both show in the
share of first drafts that it passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from bot.models.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from bot.models.thread import Thread
    from bot.models.verdict import CountedVerdict

FEWEST = 10
"""Minimum number of first drafts for a share."""
LOWEST, HIGHEST = 0.6, 0.9
"""Range of the pass rate of a working validator."""


@dataclass(frozen=True, kw_only=True)
class FirstRounds:
    """First drafts by the validator's verdict, and those that code sent back before it."""

    validated: dict[str, int]
    by_code: int

    @property
    def drafts(self) -> int:
        """Return the number of drafts that a validator has judged."""
        return sum(self.validated.values())

    @property
    def pass_rate(self) -> float | None:
        """Return the share that passed, or `None` if there were too few."""
        return round(self.validated["pass"] / self.drafts, 3) if self.drafts >= FEWEST else None

    @property
    def warning(self) -> str | None:
        """Return a warning about an unusual share, or `None`."""
        if (rate := self.pass_rate) is None or LOWEST <= rate <= HIGHEST:
            return None
        bounds = f"{LOWEST:.0%} to {HIGHEST:.0%}"
        if rate == 1:
            return (
                "Every first draft passed: the validator is a rubber stamp. `triage drill` shows whether it has teeth."
            )
        if rate > HIGHEST:
            return (
                f"More first drafts pass than the usual {bounds}: is the validator strict enough? `triage drill` shows."
            )
        return f"Fewer first drafts pass than the usual {bounds}: are the drafts poor, or is the validator too strict?"


def first_rounds(threads: Iterable[Thread], *, since: datetime) -> FirstRounds:
    """Count the verdicts since then on each question's first draft."""
    first = [judged for thread in threads for judged in first_verdicts(thread) if judged.at >= since]
    words = [judged.validator for judged in first if judged.validator]
    return FirstRounds(
        validated={word: words.count(word) for word in get_args(Verdict)},
        by_code=sum(judged.validator is None and judged.verdict == "bounce" for judged in first),
    )


def first_verdicts(thread: Thread) -> list[CountedVerdict]:
    """Return the first verdict on each of a thread's questions."""
    verdicts: dict[int, CountedVerdict] = {}
    for judged in thread.judged:
        verdicts.setdefault(judged.question_round, judged)
    return [*verdicts.values()]
