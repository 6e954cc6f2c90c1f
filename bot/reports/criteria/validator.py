"""Criteria of the validator and of feedback: planted faults, first rounds, and drafts after a bounce. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from blocks.text import format_count
from bot.decide.bounce.improvement import compare_rounds
from bot.models.status import BEFORE_A_DRAFT
from bot.reports.criteria.measuring import Case, Definition, measure
from bot.reports.minutes import read_moment
from bot.reports.validators import FEWEST, HIGHEST, LOWEST, first_verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from bot.models.criterion import Criterion
    from bot.models.evaluation import Evaluation
    from bot.models.thread import Thread

FABRICATED = ("wrong path", "wrong line", "changed quote")
"""Classes of the drill whose reference does not stand."""
PLANTED = Definition(
    id="AC-04",
    name="Fabricated references do not pass",
    text="Share of drafts with a planted wrong path, wrong line or changed quote that did not pass, in the newest "
    "evaluation with --validate; code or the validator stopped them.",
    threshold="all",
    is_met=lambda share: share == 1,
    fewest=3,
    weeks=12,
)
FIRST_ROUNDS = Definition(
    id="AC-05",
    name="The validator is no rubber stamp",
    text="Share of first drafts that the validator passed, of those that it judged.",
    threshold=f"{100 * LOWEST:.0f} to {100 * HIGHEST:.0f} %",
    is_met=lambda share: LOWEST <= share <= HIGHEST,
    fewest=FEWEST,
    weeks=1,
)
IMPROVEMENT = Definition(
    id="AC-06",
    name="Feedback improves the next draft",
    text="Share of drafts after a bounce with a reason that have a reference or a value that the last one lacked, or "
    "dropped a reference that the reason names.",
    threshold="at least 70 %",
    is_met=lambda share: share >= 0.7,
    fewest=10,
)


def measure_planted(evaluations: Iterable[Evaluation], *, now: datetime) -> Criterion:
    """Measure AC-04 by the newest evaluation with planted faults."""
    dated = [(at, each) for each in evaluations if (at := read_moment(each.saved_at)) and at <= now]
    planted = [(at, [*_fabricated(each)]) for at, each in dated]
    at, rows = max(((at, rows) for at, rows in planted if rows), default=(now, []))
    cases = [Case(at, number < caught) for total, caught, _ in rows for number in range(total)]
    stopped, judged = sum(row[2][0] for row in rows), sum(row[2][1] for row in rows)
    note = f"The validator alone stopped {stopped} of {judged}." if judged else ""
    return measure(PLANTED, cases, now=now, note=note)


def _fabricated(evaluation: Evaluation) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Yield the cases of each fabricated class, those caught at least, and the validator's own count and total."""
    for engine in evaluation.engines:
        for row in engine.planted:
            if row.kind in FABRICATED:
                by_code = row.by_code.count if row.by_code else 0
                stopped = (row.stopped.count, row.stopped.total) if row.stopped else (0, 0)
                yield row.cases, max(by_code, stopped[0]), stopped


def measure_first_rounds(threads: Iterable[Thread], *, now: datetime) -> Criterion:
    """Measure AC-05 by the verdicts on each question's first draft."""
    first = [judged for thread in threads for judged in first_verdicts(thread)]
    cases = [Case(judged.at, judged.validator == "pass") for judged in first if judged.validator]
    return measure(FIRST_ROUNDS, cases, now=now)


def measure_improvement(threads: Iterable[Thread], *, now: datetime) -> Criterion:
    """Measure AC-06 by the rounds of each thread's current question."""
    compared = [each for thread in threads for each in _compare(thread)]
    ends = Counter(end for _, end in compared if end)
    decided = ends.total()
    note = (
        f"Of {format_count(decided, 'such draft')} with a decision {ends['approve']} were approved." if decided else ""
    )
    return measure(IMPROVEMENT, [case for case, _ in compared], now=now, note=note)


def _compare(thread: Thread) -> Iterator[tuple[Case, str]]:
    """Yield a case for each bounce with a reason and a next draft, and the decision on that draft, if any."""
    verdicts = [each for each in thread.judged if each.question_round == thread.question_round]
    drafts = [*_later_drafts(thread)]
    for number, (sent_back, after) in enumerate(zip(thread.rounds, drafts, strict=False), 1):
        if not sent_back.attack.strip() or not verdicts:
            continue
        text, refs = after
        at = verdicts[min(number, len(verdicts) - 1)].at
        end = "bounce" if number < len(thread.rounds) else thread.decision.action if thread.decision else ""
        yield Case(at, compare_rounds(sent_back, text, refs).is_specific), end


def _later_drafts(thread: Thread) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the draft after each round, as its engine made it, with its references."""
    for later in thread.rounds[1:]:
        yield later.draft, later.refs
    draft, findings = thread.draft_pending, thread.investigator_return
    is_new = thread.rounds and thread.investigator_round > thread.rounds[-1].number
    if draft and findings and is_new and thread.status not in BEFORE_A_DRAFT:
        yield draft.drafted or draft.text, tuple(reference.ref for reference in findings.evidence_refs)
