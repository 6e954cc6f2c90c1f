"""Manual passages: the sections of a project's documents that answer a user's question, ranked among themselves.

Beside code a document's words are common; among the sections of documents it is the heading that tells them apart.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.agents.keyword_answer import Cited
from bot.decide.retrieval.confidence import certainty
from bot.decide.retrieval.passages import is_document, passages
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
"""The share of the question that a document may hold less than another one, or than code where a way is asked for."""
_IS_ASKED_FOR = 0.3
"""The same for one where something written is asked for."""
_TELLS_MORE = 0.1
"""The share that it must hold more than the code which it is cited before otherwise."""
_SECTIONS_TRIED = 8
MOST_DOCUMENTS = 60
"""Documents that are read, those with the most of the question."""
_MANUAL = 0.8
"""The standing that a document has at least which is no history, no test and no example."""
_HEADING = 1.2
_OUTER = 0.4
_PATH = 0.6
"""What a term counts in a section's heading, in the headings around it, in the document's path; in its text up to 1."""
_SATURATION = 1.2
_LENGTH = 0.5
_UNSAYING = 0.3
"""What a word counts that no answer has to hold."""


@dataclass(frozen=True, slots=True)
class _Section:
    path: str
    passage: Passage
    text: Mapping[int, float]
    """How often each term stands in it."""
    names: Mapping[int, float]
    """What each term counts by the headings and the path."""


def told_first(
    cited: tuple[Cited, ...],
    ground: SearchIndex,
    ranking: Ranking,
    paths: Iterable[str],
    read: Callable[[str], Sequence[str] | None],
    *,
    asked_for: bool = False,
    gone: Sequence[BouncedLines] = (),
) -> tuple[Cited, ...]:
    """The places, a document first that tells a user more than the code, or as much where a way is asked for.

    Where a document is `asked_for`, it may tell less. What is `gone` is not cited again.
    """
    if not cited:
        return cited
    least = certainty(ground, ranking, cited[0].rated).share
    needs_no_more = ground.query.asks == "way" or is_document(cited[0].rated.path)
    least += -_IS_ASKED_FOR if asked_for else -_TELLS_AS_MUCH if needs_no_more else _TELLS_MORE
    sections = manual_passages(ground, paths, read)
    left = [one for one in sections if not any(span.meets(one.path, *_lines_of(one)) for span in gone)]
    for one in left[:_SECTIONS_TRIED]:
        told = Cited.of(one, read(one.path) or (), ground, ranking)
        if told and certainty(ground, ranking, one).share >= least:
            others = [each for each in cited if each.rated.path != one.path]
            return (told, *others[: MOST_CITED - 1])
    return cited


def _lines_of(one: Rated) -> tuple[int, int]:
    return one.passage.start, one.passage.end


def manual_passages(
    ground: SearchIndex, paths: Iterable[str], read: Callable[[str], Sequence[str] | None]
) -> list[Rated]:
    """The sections of documents that hold any of the question, best first."""
    documents = [path for path in paths if _is_manual(path) and ground.standing(path) >= _MANUAL]
    best = sorted(documents, key=lambda path: (-ground.whole(path) - len(ground.on_path(path)), path))[:MOST_DOCUMENTS]
    sections = [one for path in best if (lines := read(path)) for one in _sections(ground, path, lines)]
    length = sum(one.passage.end - one.passage.start + 1 for one in sections) / max(1, len(sections))
    held: dict[int, int] = defaultdict(int)
    for one in sections:
        for term in one.text:
            held[term] += 1
    worth: dict[int, float] = defaultdict(float)
    for term in range(len(ground.query.terms)):
        rare = math.log(1 + (len(sections) - held[term] + 0.5) / (held[term] + 0.5))
        worth[term] = rare * _weight(ground, term)
    rated = [Rated(one.path, one.passage, _score(one, worth, length), {**one.names, **one.text}) for one in sections]
    return sorted((one for one in rated if one.score > 0), key=lambda one: (-one.score, one.path, one.passage.start))


def _is_manual(path: str) -> bool:
    return is_document(path) and (not path.lower().endswith(".txt") or "readme" in path.lower())


def _weight(ground: SearchIndex, term: int) -> float:
    asked = ground.query.terms[term]
    return asked.weight * (1.0 if asked.proves else _UNSAYING)


def _score(one: _Section, worth: Mapping[int, float], length: float) -> float:
    long = _SATURATION * (1 - _LENGTH + _LENGTH * (one.passage.end - one.passage.start + 1) / max(1.0, length))
    said = sum(worth[term] * amount / (amount + long) for term, amount in one.text.items())
    return said + sum(worth[term] * amount for term, amount in one.names.items())


def _sections(ground: SearchIndex, path: str, lines: Sequence[str]) -> list[_Section]:
    amounts: dict[int, dict[int, float]] = defaultdict(dict)
    for hit in ground.hits(path):
        amounts[hit.line][hit.term] = max(hit.share, amounts[hit.line].get(hit.term, 0.0))
    found = []
    for part in passages(path, lines):
        text: dict[int, float] = defaultdict(float)
        for number in range(part.start, part.end + 1):
            for term, share in amounts.get(number, {}).items():
                text[term] += share
        names = {term: _PATH * share for term, share in ground.on_path(path).items()}
        for at, name in enumerate(reversed(part.names)):
            for word in pieces(name):
                for term, share in ground.matches(word):
                    names[term] = max((_OUTER if at else _HEADING) * share, names.get(term, 0.0))
        found.append(_Section(path, part, text, names))
    return found
