"""How sure the keyword engine may be that its best passage answers: never more than `medium`.

First the coverage: the share of the question's words, the rare ones counting most, that stand near one another in the
best passage; a word that stands nowhere in the project counts fully against it, unless it is an everyday word. From
that and from what was found comes the chance that the place is the right one, by weights that were fitted on questions
with and without an answer (`measure/keyword/calibrate.py`).
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
"""The share of the question that a neighbourhood of the best passage must hold."""
NEIGHBOURHOOD = 10
"""Lines that are looked at together."""
_FEWEST = 0.45
"""The share of the question below which nothing is offered, whatever else speaks for it."""
_FEW_NOWHERE = 0.12
"""The part of a question's words that may stand nowhere in the project: in a long one a word of the asker's own."""
_HEADED, _THIRD, _NEARLY_ALL, _SHOWN = 0.85, 0.3, 0.9, 0.75
"""Shares of the question that make a section about just that: in its heading alone; there, in the text and shown."""
_MANY = 5
"""Words from which on more of them say no more."""
_EVERYDAY = 0.6
"""What an everyday word counts, compared with any other word that is as rare."""
_MESSAGE = 2.0
"""The same for a message that was quoted: it stands for all of its words."""
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
    title: float = 0.0
    """The share that the path and the names around the passage hold."""
    quoted: float = 0.0
    """The share that the lines which are shown and the names around them hold."""
    chance: float = 0.0
    """How often such a place is the right one."""
    is_live: bool = False
    """True if the question is how things are at the moment."""
    tells: bool = True
    """True if what is shown can answer: no bare heading, and an amount where one was asked for."""
    is_first: bool = True
    """True if nobody has sent a draft back: what a bounce asks for is judged by its coverage alone."""
    signals: Mapping[str, float] = field(default_factory=dict)
    """What the chance was worked out from."""

    @property
    def good(self) -> bool:
        """Return whether the passage is offered as an answer."""
        if not self.is_first:
            return self.share >= ENOUGH and not self.nowhere and not self.is_live
        words = len({*self.held, *self.lacking, *self.nowhere})
        if self.share < _FEWEST or not self.tells:
            return False
        return self.chance >= LEAST and not self.is_live and len(self.nowhere) <= _FEW_NOWHERE * words

    @property
    def _is_headed(self) -> bool:
        """Return whether the heading and the path say what is asked, or a third of it above shown lines that hold
        most."""
        is_told = self.share >= _NEARLY_ALL and self.quoted >= _SHOWN
        return self.title >= _HEADED or (self.title >= _THIRD and is_told)

    def weighed(self, found: Mapping[str, float], *, is_live: bool, is_first: bool, tells: bool = True) -> Certainty:
        """The same with its chance, from the coverage and from what was found beside it, each from 0 to 1."""
        words = len({*self.held, *self.lacking, *self.nowhere})
        signals = {
            "share": self.share,
            "title": self.title,
            "held": min(len(self.held), _MANY) / _MANY,
            "nowhere": len(self.nowhere) / max(1, words),
            "all_there": float(not self.nowhere),
            "one_word": float(words <= 1),
            **found,
            "headed": float(found.get("told", 0.0) > 0 and self._is_headed),
        }
        odds = INTERCEPT + sum(WEIGHTS.get(name, 0.0) * amount for name, amount in signals.items())
        chance = 1 / (1 + math.exp(-odds))
        return replace(self, chance=chance, is_live=is_live, is_first=is_first, tells=tells, signals=signals)


NOT_SURE = Certainty(share=0.0, held=(), lacking=(), nowhere=())


def certainty(
    ground: SearchIndex, ranking: Ranking, best: Rated | None, quoted: tuple[int, int] | None = None, sets: str = ""
) -> Certainty:
    """How much of the question the best neighbourhood of `best` holds, names and path around it included.

    `quoted` are the first and the last line that are shown of it; `sets` is the setting that these define, which the
    question may spell in another way.
    """
    asked = _Asked.of(ground)
    known = spellings(sets) if sets else frozenset[str]()
    spelt = {at: 1.0 for at, term in enumerate(ground.query.terms) if term.literal and squashed(term.literal) in known}
    title = share = 0.0
    terms: Mapping[int, float] = {}
    for at, near in enumerate(ranking.neighbourhoods(best, NEIGHBOURHOOD) if best else ()):
        near |= spelt
        covered = asked.share(near)
        title = title if at else covered  # the first one is of names and path alone
        if covered > share:
            share, terms = covered, near
    words = {index: ground.query.terms[index].word for index in asked.weights}
    return Certainty(
        share=share,
        held=tuple(word for index, word in words.items() if terms.get(index)),
        lacking=tuple(word for index, word in words.items() if not terms.get(index)),
        nowhere=asked.nowhere,
        title=title,
        quoted=asked.share(ranking.between(best, *quoted) | spelt) if best and quoted else 0.0,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What each telling word of a question counts."""

    weights: Mapping[int, float]
    nowhere: tuple[str, ...]

    @classmethod
    def of(cls, ground: SearchIndex) -> _Asked:
        weights: dict[int, float] = {}
        nowhere: list[str] = []
        missed: list[int] = []
        known = list(enumerate(ground.query.terms))
        for index, term in enumerate(ground.query.terms):
            if not term.proves or not ground.rarity[index] or term.word in WORDS:
                continue
            absent = not ground.own(index)
            is_message = " " in term.literal
            if absent and is_message and any(_is_part(other, term) and ground.own(at) for at, other in known):
                continue
            if absent and not term.forgiven:
                nowhere.append(term.word)
            if absent and term.forgiven:
                missed.append(index)
            usual = _MESSAGE if is_message else _EVERYDAY if term.forgiven else 1.0
            weights[index] = ground.rarity[index] * usual
        found = [weight for index, weight in weights.items() if index not in missed]
        for index in missed:
            weights[index] = _EVERYDAY_ABSENT * (sum(found) / len(found) if found else 1.0)
        return cls(weights, tuple(nowhere))

    def share(self, terms: Mapping[int, float]) -> float:
        """The share of the question that these terms are."""
        total = sum(self.weights.values())
        return sum(weight * terms.get(index, 0.0) for index, weight in self.weights.items()) / (total or 1.0)


def _is_part(one: Term, other: Term) -> bool:
    """Return whether a quoted text is the part of another that does not vary."""
    return " " in one.literal and one.literal != other.literal and one.literal in other.literal
