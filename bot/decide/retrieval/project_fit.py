"""Project fit: how well the words of a question fit each of several projects. Pure.

The measure is CORI's, by which a search over many collections chooses one: a word counts the more the fewer projects
hold it, and the larger the share of a project's files that do. Inside one project it is the other way round, where a
word on every page says nothing.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.retrieval.stemmer import pieces, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.retrieval.query import Term

_EVERYDAY = 0.6
"""What an everyday word counts, compared with any other."""
_NUMBER = 0.2
"""What a number counts: every project has numbers."""
_KIN = 0.5
"""What a file counts that holds only kin of a word."""
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Held:
    """What one project holds of a question."""

    words: str
    """Its name and description."""
    files: int
    own: tuple[int, ...]
    """For each term the files that hold it."""
    kin: tuple[int, ...]
    """For each term the files that hold only its kin."""


def project_fits(terms: Sequence[Term], projects: Sequence[Held]) -> list[float]:
    """The fit of each project, from 0 on."""
    if not projects:
        return []
    usual = max(sum(one.files for one in projects) / len(projects), 1.0)
    beliefs = [[_belief(term, number, one, usual) for number, term in enumerate(terms)] for one in projects]
    telling = [_telling(sum(row[number] > _KIN / 2 for row in beliefs), len(projects)) for number in range(len(terms))]
    return [
        sum(_weight(term) * rare * belief for term, rare, belief in zip(terms, telling, row, strict=True))
        for row in beliefs
    ]


def _belief(term: Term, number: int, project: Held, usual: float) -> float:
    """How much a project is about a term: its name says so, or many of its files do."""
    words = {stem(piece) for word in _WORD.findall(project.words) for piece in pieces(word)}
    if words & term.keys.keys():
        return 1.0
    files = project.own[number] + _KIN * project.kin[number]
    return files / (files + 0.5 + 1.5 * project.files / usual) if files else 0.0


def _telling(holders: int, projects: int) -> float:
    return math.log((projects + 0.5) / max(holders, 0.5)) / math.log(projects + 1)


def _weight(term: Term) -> float:
    if not term.proves:
        return 0.0
    return term.weight * (_NUMBER if term.word.isdecimal() else _EVERYDAY if term.forgiven else 1.0)
