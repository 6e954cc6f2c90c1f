"""Table of the battery."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from measure.battery.row import Outcome


def list_table(outcomes: Sequence[Outcome], below: str) -> list[str]:
    """Return the table, and a sentence below it."""
    lines = [
        "| behaviours and faults | rows | draft | unchecked notes | reason alone | seconds | cost off by | failed |",
        "|---|" + "---|" * 7,
    ]
    kinds = list(dict.fromkeys(outcome.row.kind for outcome in outcomes))
    for kind in kinds:
        lines.append(_line(kind, [outcome for outcome in outcomes if outcome.row.kind == kind]))
    if len(kinds) > 1:
        lines.append(_line("all", outcomes))
    return [*lines, "", below]


def _line(name: str, outcomes: Sequence[Outcome]) -> str:
    ended = [sum(outcome.ended == ending for outcome in outcomes) for ending in ("draft", "notes", "reason")]
    seconds, compared = max(one.seconds for one in outcomes), [one.deviation for one in outcomes]
    worst = max((deviation for deviation in compared if deviation is not None), default=None)
    failed = sum(bool(outcome.faults) for outcome in outcomes)
    cells = [name, len(outcomes), *ended, f"{seconds:.0f}", "" if worst is None else f"{worst:.2%}", failed]
    return f"| {' | '.join(map(str, cells))} |"
