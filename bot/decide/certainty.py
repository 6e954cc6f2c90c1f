"""How sure the keyword engine may be that its best passage answers: never more than `medium`.

Called by `agents/keyword`. The measure is the share of the question's words, the rare ones counting most, that stand
near one another in the best passage; a word that stands nowhere in the project counts fully against it, unless it is
an everyday word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.decide.ground import Ground
    from bot.decide.ranking import Ranking, Rated

ENOUGH = 0.6
"""The share of the question that a neighbourhood of the best passage must hold."""
NEIGHBOURHOOD = 10
"""Lines that are looked at together."""
_EVERYDAY = 0.6
"""What an everyday word counts, compared with any other word that is as rare."""
_EVERYDAY_ABSENT = 0.3
"""What it counts when it stands nowhere in the project, compared with the question's other words."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """What the best passage holds of the question."""

    share: float
    held: tuple[str, ...]
    """Words of the question that the passage or its surroundings hold."""
    lacking: tuple[str, ...]
    """Words that it does not hold."""
    nowhere: tuple[str, ...]
    """Words, other than everyday ones, that stand nowhere in the project."""

    @property
    def good(self) -> bool:
        """Whether the passage is offered as an answer."""
        return self.share >= ENOUGH and not self.nowhere


NOT_SURE = Certainty(share=0.0, held=(), lacking=(), nowhere=())


def certainty(ground: Ground, ranking: Ranking, best: Rated | None) -> Certainty:
    """How much of the question the best neighbourhood of `best` holds, names and path around it included."""
    weights: dict[int, float] = {}
    nowhere: list[str] = []
    missed: list[int] = []
    for index, term in enumerate(ground.query.terms):
        if not term.proves or not ground.rarity[index]:
            continue
        absent = not ground.own(index)
        if absent and not term.forgiven:
            nowhere.append(term.word)
        if absent and term.forgiven:
            missed.append(index)
        weights[index] = ground.rarity[index] * (_EVERYDAY if term.forgiven else 1.0)
    usual = [weight for index, weight in weights.items() if index not in missed]
    for index in missed:
        weights[index] = _EVERYDAY_ABSENT * (sum(usual) / len(usual) if usual else 1.0)
    total = sum(weights.values())
    share = 0.0
    terms: Mapping[int, float] = {}
    for near in ranking.neighbourhoods(best, NEIGHBOURHOOD) if best else ():
        covered = sum(weight * near.get(index, 0.0) for index, weight in weights.items())
        if total and covered / total > share:
            share, terms = covered / total, near
    words = {index: ground.query.terms[index].word for index in weights}
    return Certainty(
        share=share,
        held=tuple(word for index, word in words.items() if terms.get(index)),
        lacking=tuple(word for index, word in words.items() if not terms.get(index)),
        nowhere=tuple(nowhere),
    )
