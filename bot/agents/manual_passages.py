"""Manual passages: sections of a project's documents that answer a user's question, ranked among themselves.

Next to code, the words of documents are all common; among sections of documents, the heading tells them apart.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.keyword_answer import Cited
from bot.decide.retrieval.confidence import compute_confidence
from bot.decide.retrieval.passages import is_document, split_passages
from bot.decide.retrieval.ranking import Rated
from bot.decide.retrieval.stemmer import pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from bot.agents.bounced_drafts import BouncedLines
    from bot.decide.retrieval.index import SearchIndex
    from bot.decide.retrieval.passages import Passage
    from bot.decide.retrieval.ranking import Ranking

MOST_CITED = 3
_TELLS_AS_MUCH = 0.05
"""Share of the question by which a document may score below another one, or below code for a how-to question."""
_IS_ASKED_FOR = 0.3
"""The same where the question asks for something written."""
_TELLS_MORE = 0.1
"""Share by which it must otherwise score above the code that it is put before."""
_SECTIONS_TRIED = 8
MOST_DOCUMENTS = 60
"""Maximum of documents that are read, those with most of the question first."""
_MANUAL = 0.8
"""Minimum prior of a document that is not a changelog, test or example."""
_HEADING = 1.2
_OUTER = 0.4
_PATH = 0.6
"""Weights of a term in a section's heading, in outer headings, and in the path; up to 1 in its text."""
_SATURATION = 1.2
_LENGTH = 0.5
_UNSAYING = 0.3
"""Weight of a word that an answer need not have."""


@dataclass(frozen=True, slots=True)
class _Section:
    path: str
    passage: Passage
    text: Mapping[int, float]
    """Frequency of each term in the text."""
    names: Mapping[int, float]
    """Weight of each term in headings and path."""


def put_manual_first(
    cited: tuple[Cited, ...],
    ground: SearchIndex,
    ranking: Ranking,
    paths: Iterable[str],
    read: Callable[[str], Sequence[str] | None],
    *,
    asked_for: bool = False,
    removed: Sequence[BouncedLines] = (),
) -> tuple[Cited, ...]:
    """Put the best section of a document first, where it has more of the question than the code, or as much for a
    how-to.

    Where a document is `asked_for`, it may have less. Removed lines are not cited again.
    """
    if not cited:
        return cited
    least = compute_confidence(ground, ranking, cited[0].rated).share
    needs_no_more = ground.query.asks == "way" or is_document(cited[0].rated.path)
    least += -_IS_ASKED_FOR if asked_for else -_TELLS_AS_MUCH if needs_no_more else _TELLS_MORE
    sections = rank_manual_passages(ground, paths, read)
    left = [
        section for section in sections if not any(span.meets(section.path, *_lines_of(section)) for span in removed)
    ]
    for section in left[:_SECTIONS_TRIED]:
        cited_section = Cited.from_rated(section, read(section.path) or (), ground, ranking)
        if cited_section and compute_confidence(ground, ranking, section).share >= least:
            others = [each for each in cited if each.rated.path != section.path]
            return (cited_section, *others[: MOST_CITED - 1])
    return cited


def _lines_of(section: Rated) -> tuple[int, int]:
    return section.passage.start, section.passage.end


def rank_manual_passages(
    index: SearchIndex, paths: Iterable[str], read: Callable[[str], Sequence[str] | None]
) -> list[Rated]:
    """Return the sections of documents that have any of the question's terms, best first."""
    documents = [path for path in paths if _is_manual(path) and index.file_prior(path) >= _MANUAL]
    best = sorted(documents, key=lambda path: (-index.whole(path) - len(index.on_path(path)), path))[:MOST_DOCUMENTS]
    sections = [section for path in best if (lines := read(path)) for section in _sections(index, path, lines)]
    length = sum(section.passage.end - section.passage.start + 1 for section in sections) / max(1, len(sections))
    section_counts: dict[int, int] = defaultdict(int)
    for section in sections:
        for term in section.text:
            section_counts[term] += 1
    worth: dict[int, float] = defaultdict(float)
    for term in range(len(index.query.terms)):
        rare = math.log(1 + (len(sections) - section_counts[term] + 0.5) / (section_counts[term] + 0.5))
        worth[term] = rare * _weight(index, term)
    rated = [
        Rated(section.path, section.passage, _score(section, worth, length), {**section.names, **section.text})
        for section in sections
    ]
    return sorted(
        (section for section in rated if section.score > 0),
        key=lambda section: (-section.score, section.path, section.passage.start),
    )


def _is_manual(path: str) -> bool:
    return is_document(path) and (not path.lower().endswith(".txt") or "readme" in path.lower())


def _weight(index: SearchIndex, term: int) -> float:
    query_term = index.query.terms[term]
    return query_term.weight * (1.0 if query_term.proves else _UNSAYING)


def _score(section: _Section, worth: Mapping[int, float], length: float) -> float:
    long = _SATURATION * (1 - _LENGTH + _LENGTH * (section.passage.end - section.passage.start + 1) / max(1.0, length))
    text_score = sum(worth[term] * amount / (amount + long) for term, amount in section.text.items())
    return text_score + sum(worth[term] * amount for term, amount in section.names.items())


def _sections(index: SearchIndex, path: str, lines: Sequence[str]) -> list[_Section]:
    amounts: dict[int, dict[int, float]] = defaultdict(dict)
    for hit in index.hits(path):
        amounts[hit.line][hit.term] = max(hit.share, amounts[hit.line].get(hit.term, 0.0))
    sections = []
    for part in split_passages(path, lines):
        text: dict[int, float] = defaultdict(float)
        for number in range(part.start, part.end + 1):
            for term, share in amounts.get(number, {}).items():
                text[term] += share
        names = {term: _PATH * share for term, share in index.on_path(path).items()}
        for at, name in enumerate(reversed(part.names)):
            for word in pieces(name):
                for term, share in index.matches(word):
                    names[term] = max((_OUTER if at else _HEADING) * share, names.get(term, 0.0))
        sections.append(_Section(path, part, text, names))
    return sections
