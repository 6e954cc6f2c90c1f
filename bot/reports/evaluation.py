"""Figures of an evaluation, engine by engine, and the difference from an earlier one."""

from __future__ import annotations

import statistics
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from blocks.cost import format_cost
from bot.decide.drill import SOUND
from bot.decide.share_interval import Share
from bot.models.cost import Cost
from bot.models.evaluation import FAULTS
from bot.reports.drill import NO_RATE, share_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.models.evaluation import EngineEvaluation, Evaluation, JudgedAnswer


def build_shares(engine: EngineEvaluation) -> dict[str, Share]:
    """Return the shares by name. A question without an answer of the engine counts as wrong."""
    answers = engine.answers
    shares = {
        "right place first": _share(answer.first for answer in answers),
        "right place among three": _share(answer.among_three for answer in answers),
        "values right": _share(answer.values for answer in answers),
        "honest refusals": _share(answer.refused for answer in answers),
    }
    for fault in FAULTS:
        shares[f"validator stopped: {fault}"] = _share(answer.stopped for answer in answers if answer.fault == fault)
    shares["validator stopped: right"] = _share(answer.stopped for answer in answers if answer.right)
    for row in engine.planted:
        if row.by_code and row.kind != SOUND:
            shares[f"code found planted: {row.kind}"] = share_of(row.by_code)
    for row in engine.planted:
        if row.stopped:
            shares[f"validator stopped planted: {row.kind}"] = share_of(row.stopped)
    if faulty := _sum_stopped(engine):
        shares["validator stopped planted: all faults"] = faulty
    return shares


def as_data(evaluation: Evaluation, differences: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures as JSON data, for `--json`."""
    return {
        "saved_at": evaluation.saved_at,
        "ended_early": evaluation.ended_early,
        "engines": [
            {
                "engine": engine.engine,
                "shares": {name: asdict(share) for name, share in build_shares(engine).items()},
                "cost_usd": engine.usd,
                "unsure_usd": engine.unsure_usd,
                "runs_of_unknown_cost": engine.unknown_runs,
                "median_seconds": _median(engine.answers),
                "failures": sum(bool(answer.failure) for answer in engine.answers),
                "answers": [answer.model_dump(mode="json") for answer in engine.answers],
            }
            for engine in evaluation.engines
        ],
        "differences": [*differences],
    }


def as_text(evaluation: Evaluation, differences: Sequence[dict[str, Any]]) -> str:
    """Format the figures of the engines side by side, and the differences from the last run."""
    columns = [_column(engine) for engine in evaluation.engines]
    names = list(dict.fromkeys(name for column in sorted(columns, key=len, reverse=True) for name in column))
    names = [name for name in names if any(column.get(name) for column in columns)]
    cells = [("", *(engine.engine for engine in evaluation.engines))]
    cells += [(name, *(column.get(name, "") for column in columns)) for name in names]
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    lines += ["", "In brackets: 95 % intervals (Wilson)."]
    answers = [answer for engine in evaluation.engines for answer in engine.answers]
    reasons = {answer.failure for answer in answers} | {answer.review_failure for answer in answers}
    if without := sorted(reasons - {""}):
        lines += ["", "Reasons for no answer or verdict:", *(f"  {reason}" for reason in without[:_REASONS])]
    for change in differences:
        lines.append(
            f"\n{change['engine']}, against {change['before']}: {change['same_questions']} same questions, "
            f"{len(change['became_right'])} became right, {len(change['became_wrong'])} became wrong"
        )
        lines += [f"  right now: {name}" for name in change["became_right"]]
        lines += [f"  wrong now: {name}" for name in change["became_wrong"]]
        lines += [
            f"  validator stopped planted: {kind}: {now}, before {was}" for kind, was, now in change["planted_changed"]
        ]
    return "\n".join(lines)


_REASONS = 5
"""Number of different reasons that are printed; all are in the kept results."""


def compare(now: Evaluation, before: Sequence[Evaluation]) -> list[dict[str, Any]]:
    """Return, for each engine, the changes since the newest earlier run with any of the same questions.

    `before` is newest first.
    """
    return [change for engine in now.engines if (change := _compare_engine(engine, before))]


def _compare_engine(engine: EngineEvaluation, before: Sequence[Evaluation]) -> dict[str, Any] | None:
    now = {answer.name: answer.right for answer in engine.answers}
    for run in before:
        earlier = next((other for other in run.engines if other.engine == engine.engine), None)
        was = {answer.name: answer.right for answer in earlier.answers} if earlier else {}
        if earlier and (same := [name for name in now if name in was]):
            return {
                "engine": engine.engine,
                "before": run.saved_at,
                "same_questions": len(same),
                "became_right": [name for name in same if now[name] and not was[name]],
                "became_wrong": [name for name in same if was[name] and not now[name]],
                "planted_changed": _compare_planted(engine, earlier),
            }
    return None


def _compare_planted(engine: EngineEvaluation, before: EngineEvaluation) -> list[tuple[str, str, str]]:
    """Return the classes whose share of stopped drafts differs, each with the earlier share and this one.

    Only the same cases are compared.
    """
    was = {row.kind: row.stopped for row in before.planted if engine.planted_id == before.planted_id}
    return [
        (row.kind, f"{earlier.count} of {earlier.total}", f"{row.stopped.count} of {row.stopped.total}")
        for row in engine.planted
        if row.stopped and (earlier := was.get(row.kind)) and earlier != row.stopped
    ]


def _sum_stopped(engine: EngineEvaluation) -> Share | None:
    tallies = [row.stopped for row in engine.planted if row.stopped and row.kind != SOUND]
    if not tallies:
        return None
    return Share.from_counts(sum(tally.count for tally in tallies), sum(tally.total for tally in tallies))


def _column(engine: EngineEvaluation) -> dict[str, str]:
    answers, planted = engine.answers, engine.planted
    failures = sum(bool(answer.failure) for answer in answers)
    no_verdict = sum(bool(answer.review_failure) for answer in answers) + sum(row.no_verdict for row in planted)
    is_scripted = any(row.cases for row in planted) and all(row.stopped is None for row in planted)
    return {
        "questions": str(len(answers)),
        **{name: str(share) for name, share in build_shares(engine).items() if share.total},
        "validator stopped planted": NO_RATE if is_scripted else "",
        "no verdict": str(no_verdict) if no_verdict else "",
        "no answer": str(failures) if failures else "",
        "cost": _describe_cost(engine),
        "seconds, median": f"{_median(answers):.2f}" if answers else "",
    }


def _describe_cost(engine: EngineEvaluation) -> str:
    if engine.usd is None:
        return "unknown"
    cost = Cost(usd=engine.usd, unsure_usd=engine.unsure_usd, unknown_runs=engine.unknown_runs)
    return format_cost(cost, places=4)


def _median(answers: Sequence[JudgedAnswer]) -> float:
    return round(statistics.median(answer.seconds for answer in answers), 3) if answers else 0.0


def _share(judgements: Iterable[bool | None]) -> Share:
    made = [judgement for judgement in judgements if judgement is not None]
    return Share.from_counts(sum(made), len(made))
