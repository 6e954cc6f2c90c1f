"""Project fit: score of each of several projects for the words of a question. Pure.

The measure is CORI's for selecting among collections: a word counts more if fewer projects contain it, and if a larger
share of a project's files does. Inside one project it is the opposite: a word on every page says nothing.
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
"""Weight of an everyday word, relative to any other."""
_NUMBER = 0.2
"""Weight of a number: every project has numbers."""
_SYNONYM_WEIGHT = 0.5
"""Weight of a file that contains only synonyms of a word."""
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class ProjectTermCounts:
    """Counts of a question's terms in one project."""

    name_and_description: str
    file_count: int
    """Number of files in the project."""
    term_files: tuple[int, ...]
    """Number of files with each term."""
    synonym_files: tuple[int, ...]
    """Number of files with only synonyms of each term."""


def project_fits(terms: Sequence[Term], projects: Sequence[ProjectTermCounts]) -> list[float]:
    """Return the score of each project, 0 or more."""
    if not projects:
        return []
    usual = max(sum(project.file_count for project in projects) / len(projects), 1.0)
    beliefs = [[_belief(term, number, project, usual) for number, term in enumerate(terms)] for project in projects]
    telling = [
        _weigh_holders(sum(row[number] > _SYNONYM_WEIGHT / 2 for row in beliefs), len(projects))
        for number in range(len(terms))
    ]
    return [
        sum(_weight(term) * rare * belief for term, rare, belief in zip(terms, telling, row, strict=True))
        for row in beliefs
    ]


def _belief(term: Term, number: int, project: ProjectTermCounts, usual: float) -> float:
    """Return the relevance of a term to a project: it is in the name, or in many files."""
    words = {stem(piece) for word in _WORD.findall(project.name_and_description) for piece in pieces(word)}
    if words & term.keys.keys():
        return 1.0
    files = project.term_files[number] + _SYNONYM_WEIGHT * project.synonym_files[number]
    return files / (files + 0.5 + 1.5 * project.file_count / usual) if files else 0.0


def _weigh_holders(holders: int, projects: int) -> float:
    return math.log((projects + 0.5) / max(holders, 0.5)) / math.log(projects + 1)


def _weight(term: Term) -> float:
    if not term.proves:
        return 0.0
    return term.weight * (_NUMBER if term.word.isdecimal() else _EVERYDAY if term.forgiven else 1.0)
