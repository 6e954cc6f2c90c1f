"""Confidence of the keyword engine in its best passage: never more than `medium`.

Coverage comes first: the share of the question's words, rare ones weighing most, that occur near one another in the
best passage. A word that the project lacks counts fully against it, unless it is an everyday word. From coverage and
other signals a logistic model computes the probability that the passage is the right one; its weights were fitted on
questions with and without an answer (`measure/keyword/calibrate.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bot.decide.retrieval.confidence_weights import INTERCEPT, LEAST, WEIGHTS
from bot.decide.values.setting_names import spellings, squashed
from bot.decide.values.value_question import WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.decide.retrieval.index import SearchIndex
    from bot.decide.retrieval.query import Term
    from bot.decide.retrieval.ranking import Ranking, Rated

ENOUGH = 0.6
"""Minimum share of the question in one neighbourhood of the best passage."""
NEIGHBOURHOOD = 10
"""Number of lines in a neighbourhood."""
_FEWEST = 0.45
"""Share of the question below which nothing is offered, regardless of other signals."""
_FEW_NOWHERE = 0.12
"""Maximum share of a question's words that the project may lack: a long question contains words of the asker's own."""
_HEADED, _THIRD, _NEARLY_ALL, _MIN_SHOWN = 0.85, 0.3, 0.9, 0.75
"""Minimum shares of the question in a section about it: in its heading alone; or in its heading, its text and the
shown lines."""
_MANY = 5
"""Number of words above which further ones add no evidence."""
_EVERYDAY = 0.6
"""Weight of an everyday word, relative to another word of the same rarity."""
_MESSAGE = 2.0
"""Weight of a quoted message, which represents all of its words."""
_EVERYDAY_ABSENT = 0.3
"""Weight of an everyday word that the project lacks, relative to the question's other words."""


@dataclass(frozen=True, slots=True)
class MatchConfidence:
    """Coverage of a question by its best passage, with the probability that the passage answers it."""

    share: float
    covered_words: tuple[str, ...]
    """Words of the question in the passage or its surroundings."""
    lacking: tuple[str, ...]
    """Words of the question that the passage lacks."""
    nowhere: tuple[str, ...]
    """Words, except everyday ones, that the whole project lacks."""
    title: float = 0.0
    """Share of the question in the path and the enclosing names."""
    quoted: float = 0.0
    """Share of the question in the shown lines and the enclosing names."""
    chance: float = 0.0
    """Probability that the passage is the right one."""
    is_live: bool = False
    """True if the question is about the current state of a system."""
    can_answer: bool = True
    """True if the shown lines can answer: no bare heading, and an amount if one is asked for."""
    is_first: bool = True
    """True for the first draft; revised ones are judged by coverage alone."""
    signals: Mapping[str, float] = field(default_factory=dict)
    """Inputs of the probability."""

    @property
    def good(self) -> bool:
        """Return whether the passage is offered as an answer."""
        if not self.is_first:
            return self.share >= ENOUGH and not self.nowhere and not self.is_live
        words = len({*self.covered_words, *self.lacking, *self.nowhere})
        if self.share < _FEWEST or not self.can_answer:
            return False
        return self.chance >= LEAST and not self.is_live and len(self.nowhere) <= _FEW_NOWHERE * words

    @property
    def _is_headed(self) -> bool:
        """Return whether heading and path cover the question, or a third of it above shown lines that cover most."""
        is_told = self.share >= _NEARLY_ALL and self.quoted >= _MIN_SHOWN
        return self.title >= _HEADED or (self.title >= _THIRD and is_told)

    def with_chance(
        self, findings: Mapping[str, float], *, is_live: bool, is_first: bool, tells: bool = True
    ) -> MatchConfidence:
        """Return a copy with the probability, computed from coverage and further signals between 0 and 1."""
        words = len({*self.covered_words, *self.lacking, *self.nowhere})
        signals = {
            "share": self.share,
            "title": self.title,
            "held": min(len(self.covered_words), _MANY) / _MANY,
            "nowhere": len(self.nowhere) / max(1, words),
            "all_there": float(not self.nowhere),
            "one_word": float(words <= 1),
            **findings,
            "headed": float(findings.get("told", 0.0) > 0 and self._is_headed),
        }
        odds = INTERCEPT + sum(WEIGHTS.get(name, 0.0) * amount for name, amount in signals.items())
        chance = 1 / (1 + math.exp(-odds))
        return replace(self, chance=chance, is_live=is_live, is_first=is_first, can_answer=tells, signals=signals)


NO_CONFIDENCE = MatchConfidence(share=0.0, covered_words=(), lacking=(), nowhere=())


def compute_confidence(
    search_index: SearchIndex,
    ranking: Ranking,
    best: Rated | None,
    quoted: tuple[int, int] | None = None,
    sets: str = "",
) -> MatchConfidence:
    """Compute the coverage of the question in the best neighbourhood of `best`, including enclosing names and the path.

    `quoted` are the first and last shown line; `sets` is the setting that these define, which the question may spell
    differently.
    """
    question_weights = _QuestionWeights.from_index(search_index)
    setting_spellings = spellings(sets) if sets else frozenset[str]()
    spelt = {
        at: 1.0
        for at, term in enumerate(search_index.query.terms)
        if term.literal and squashed(term.literal) in setting_spellings
    }
    title = share = 0.0
    terms: Mapping[int, float] = {}
    for at, near in enumerate(ranking.neighbourhoods(best, NEIGHBOURHOOD) if best else ()):
        near |= spelt
        covered = question_weights.share(near)
        title = title if at else covered  # the first neighbourhood has only names and path
        if covered > share:
            share, terms = covered, near
    words = {index: search_index.query.terms[index].word for index in question_weights.weights}
    return MatchConfidence(
        share=share,
        covered_words=tuple(word for index, word in words.items() if terms.get(index)),
        lacking=tuple(word for index, word in words.items() if not terms.get(index)),
        nowhere=question_weights.nowhere,
        title=title,
        quoted=question_weights.share(ranking.between(best, *quoted) | spelt) if best and quoted else 0.0,
    )


@dataclass(frozen=True, slots=True)
class _QuestionWeights:
    """Weights of a question's informative words."""

    weights: Mapping[int, float]
    nowhere: tuple[str, ...]

    @classmethod
    def from_index(cls, search_index: SearchIndex) -> _QuestionWeights:
        weights: dict[int, float] = {}
        nowhere: list[str] = []
        missed: list[int] = []
        numbered_terms = list(enumerate(search_index.query.terms))
        for index, term in enumerate(search_index.query.terms):
            if not term.proves or not search_index.rarity[index] or term.word in WORDS:
                continue
            absent = not search_index.own(index)
            is_message = " " in term.literal
            if (
                absent
                and is_message
                and any(_is_part(other, term) and search_index.own(at) for at, other in numbered_terms)
            ):
                continue
            if absent and not term.forgiven:
                nowhere.append(term.word)
            if absent and term.forgiven:
                missed.append(index)
            usual = _MESSAGE if is_message else _EVERYDAY if term.forgiven else 1.0
            weights[index] = search_index.rarity[index] * usual
        present_weights = [weight for index, weight in weights.items() if index not in missed]
        for index in missed:
            weights[index] = _EVERYDAY_ABSENT * (
                sum(present_weights) / len(present_weights) if present_weights else 1.0
            )
        return cls(weights, tuple(nowhere))

    def share(self, terms: Mapping[int, float]) -> float:
        """Return the share of the question that these terms cover."""
        total = sum(self.weights.values())
        return sum(weight * terms.get(index, 0.0) for index, weight in self.weights.items()) / (total or 1.0)


def _is_part(part: Term, whole: Term) -> bool:
    """Return whether a quoted text is the constant part of another."""
    return " " in part.literal and part.literal != whole.literal and part.literal in whole.literal
