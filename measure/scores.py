"""Precision, recall, F1 and false alarms of tier 0, with their intervals: used by `measure/train.py`."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from measure.labelled import Labelled

RESAMPLED = 2_000
"""Bootstrap samples for the interval of an F1."""


@dataclass(frozen=True)
class Score:
    """How often a class was said and was right."""

    hits: int
    said: int
    true: int
    others: int

    @classmethod
    def from_messages(cls, said: Iterable[bool], true: Iterable[bool]) -> Score:
        """Counted over messages."""
        pairs = [(bool(s), bool(t)) for s, t in zip(said, true, strict=True)]
        return cls(
            hits=sum(s and t for s, t in pairs),
            said=sum(s for s, _ in pairs),
            true=sum(t for _, t in pairs),
            others=sum(not t for _, t in pairs),
        )

    @property
    def f1(self) -> float:
        """From 0 to 1; 1 where there was nothing to find and nothing was said."""
        return 2 * self.hits / (self.said + self.true) if self.said + self.true else 1.0

    @property
    def false_alarms(self) -> float:
        """Per 100 messages of another class."""
        return 100 * (self.said - self.hits) / self.others if self.others else 0.0


def wilson(hits: int, of: int) -> str:
    """A share with its 95 % interval."""
    if not of:
        return "    -          "
    z, share = 1.96, hits / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return f"{share:.2f} ({middle - half:.2f}-{middle + half:.2f})"


def resampled(said: Sequence[bool], true: Sequence[bool]) -> str:
    """An F1 with its 95 % interval by bootstrap, the same each time."""
    chance = random.Random(7)  # noqa: S311  # no secret hangs on it
    places, values = range(len(said)), []
    for _ in range(RESAMPLED):
        drawn = chance.choices(places, k=len(said))
        values.append(Score.from_messages((said[p] for p in drawn), (true[p] for p in drawn)).f1)
    values.sort()
    low, high = values[int(0.025 * RESAMPLED)], values[int(0.975 * RESAMPLED)]
    return f"{Score.from_messages(said, true).f1:.2f} ({low:.2f}-{high:.2f})"


def table(rows: Sequence[Labelled], answers: Sequence[str]) -> str:
    """Precision, recall and F1 of *actionable*, false alarms and the F1 of *ack*, per source left out and in all."""
    lines = [
        "| source left out | messages | actionable | precision | recall | F1 | false alarms per 100 | F1 of ack |",
        "|---|---|---|---|---|---|---|---|",
    ]
    groups = [(source, [r.source == source for r in rows]) for source in sorted({r.source for r in rows})]
    for name, inside in [*groups, ("all", [True] * len(rows))]:
        part = [(row, answer) for row, answer, hit in zip(rows, answers, inside, strict=True) if hit]
        said, true = [a == "actionable" for _, a in part], [r.label == "actionable" for r, _ in part]
        score = Score.from_messages(said, true)
        ack = Score.from_messages((a == "ack" for _, a in part), (r.label == "ack" for r, _ in part))
        cells = (
            name,
            len(part),
            score.true,
            wilson(score.hits, score.said),
            wilson(score.hits, score.true),
            resampled(said, true),
            f"{score.false_alarms:.1f}",
            f"{ack.f1:.2f}",
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)
