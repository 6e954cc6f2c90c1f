"""Figures of an evaluation, engine by engine, and the difference from an earlier one."""

from __future__ import annotations

import statistics
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bot.decide.share_interval import Share
from bot.models.evaluation import FAULTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.models.evaluation import EngineEvaluation, Evaluation, JudgedAnswer


def build_shares(answers: Sequence[JudgedAnswer]) -> dict[str, Share]:
    """Return the shares by name. A question without an answer of the engine counts as wrong."""
    shares = {
        "right place first": _share(answer.first for answer in answers),
        "right place among three": _share(answer.among_three for answer in answers),
        "values right": _share(answer.values for answer in answers),
        "honest refusals": _share(answer.refused for answer in answers),
    }
    for fault in FAULTS:
        shares[f"validator stopped: {fault}"] = _share(answer.stopped for answer in answers if answer.fault == fault)
    shares["validator stopped: right"] = _share(answer.stopped for answer in answers if answer.right)
    return shares


def as_data(evaluation: Evaluation, differences: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures as JSON data, for `--json`."""
    return {
        "saved_at": evaluation.saved_at,
        "ended_early": evaluation.ended_early,
        "engines": [
            {
                "engine": engine.engine,
                "shares": {name: asdict(share) for name, share in build_shares(engine.answers).items()},
                "cost_usd": sum_cost(engine.answers),
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
    names = [name for name in columns[0] if any(column[name] not in ("", "none") for column in columns)]
    cells = [("", *(engine.engine for engine in evaluation.engines))]
    cells += [(name, *(column[name] for column in columns)) for name in names]
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    lines += ["", "In brackets: 95 % intervals (Wilson)."]
    for change in differences:
        lines.append(
            f"\n{change['engine']}, against {change['before']}: {change['same_questions']} same questions, "
            f"{len(change['became_right'])} became right, {len(change['became_wrong'])} became wrong"
        )
        lines += [f"  right now: {name}" for name in change["became_right"]]
        lines += [f"  wrong now: {name}" for name in change["became_wrong"]]
    return "\n".join(lines)


def compare(now: Evaluation, before: Sequence[Evaluation]) -> list[dict[str, Any]]:
    """Return, for each engine, the changes since the newest earlier run with any of the same questions.

    `before` is newest first.
    """
    return [change for engine in now.engines if (change := _compare_engine(engine, before))]


def sum_cost(answers: Sequence[JudgedAnswer]) -> float | None:
    """Return the cost in US dollars, or `None` if any is unknown."""
    costs = [answer.usd for answer in answers]
    return None if None in costs else round(sum(cost for cost in costs if cost is not None), 6)


def _compare_engine(engine: EngineEvaluation, before: Sequence[Evaluation]) -> dict[str, Any] | None:
    now = {answer.name: answer.right for answer in engine.answers}
    for run in before:
        earlier = next((other for other in run.engines if other.engine == engine.engine), None)
        was = {answer.name: answer.right for answer in earlier.answers} if earlier else {}
        if same := [name for name in now if name in was]:
            return {
                "engine": engine.engine,
                "before": run.saved_at,
                "same_questions": len(same),
                "became_right": [name for name in same if now[name] and not was[name]],
                "became_wrong": [name for name in same if was[name] and not now[name]],
            }
    return None


def _column(engine: EngineEvaluation) -> dict[str, str]:
    answers = engine.answers
    cost = sum_cost(answers)
    failures = sum(bool(answer.failure) for answer in answers)
    return {
        "questions": str(len(answers)),
        **{name: str(share) for name, share in build_shares(answers).items()},
        "no answer": str(failures) if failures else "",
        "cost": "unknown" if cost is None else f"${cost:.2f}",
        "seconds, median": f"{_median(answers):.2f}",
    }


def _median(answers: Sequence[JudgedAnswer]) -> float:
    return round(statistics.median(answer.seconds for answer in answers), 3) if answers else 0.0


def _share(judgements: Iterable[bool | None]) -> Share:
    made = [judgement for judgement in judgements if judgement is not None]
    return Share.from_counts(sum(made), len(made))
