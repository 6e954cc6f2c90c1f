"""Figures of a drill, by class, as data and as text."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bot.decide.drill import SOUND
from bot.decide.drill.faults import FAULTS
from bot.decide.share_interval import Share
from bot.models.drill_row import DrillRow, Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.agents.drill import DrillOutcome

NO_RATE = "n/a, scripted"
_HEAD = ("class", "cases", "found by code", "stopped by the model", "and named")


def rows(outcomes: Sequence[DrillOutcome], *, scripted: bool) -> list[DrillRow]:
    """Build a row for each class, in order, sound drafts last. Cases without a verdict count in none of the model's
    shares."""
    return [
        _row(kind, [outcome for outcome in outcomes if outcome.case.kind == kind], scripted)
        for kind in (*FAULTS, SOUND)
    ]


def as_data(table: Sequence[DrillRow], **about: Any) -> dict[str, Any]:
    """Return the figures as JSON data, for `--json`."""
    classes = [{name: _data_of(value) for name, value in row} for row in table]
    return {**about, "classes": classes}


def as_text(table: Sequence[DrillRow], *, scripted: bool) -> str:
    """Format the table with notes on how to read it."""
    cells = [_HEAD, *(_cells(row, scripted) for row in table)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(_HEAD))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    lines += ["", f"In the row {SOUND!r}, a stopped draft was wrongly refused. In brackets: 95 % intervals (Wilson)."]
    if lost := sum(row.no_verdict for row in table):
        lines.append(f"{lost} reviews came to no verdict and are left out of the model's columns.")
    if scripted:
        lines.append("The answers came from a script, so they say nothing about a model: no rates are shown.")
    return "\n".join(lines)


def share_of(tally: Tally) -> Share:
    """Return the share with its interval."""
    return Share.from_counts(tally.count, tally.total)


def _tally(hits: Iterable[bool]) -> Tally:
    made = [*hits]
    return Tally(count=sum(made), total=len(made))


def _data_of(value: object) -> object:
    return asdict(share_of(value)) if isinstance(value, Tally) else value


def _row(kind: str, outcomes: Sequence[DrillOutcome], scripted: bool) -> DrillRow:
    judged = [] if scripted else [outcome for outcome in outcomes if outcome.validator_return]
    named = [outcome.named for outcome in judged if outcome.named is not None]
    looked_for = kind == SOUND or FAULTS[kind].by_code
    return DrillRow(
        kind=kind,
        cases=len(outcomes),
        by_code=_tally(outcome.by_code for outcome in outcomes) if looked_for else None,
        stopped=None if scripted else _tally(outcome.stopped for outcome in judged),
        named=_tally(named) if named else None,
        no_verdict=sum(outcome.validator_return is None for outcome in outcomes),
    )


def _cells(row: DrillRow, scripted: bool) -> tuple[str, ...]:
    shares = [str(share_of(tally)) if tally else "" for tally in (row.by_code, row.stopped, row.named)]
    if scripted:
        shares[1] = NO_RATE
    return (row.kind, str(row.cases), *shares)
