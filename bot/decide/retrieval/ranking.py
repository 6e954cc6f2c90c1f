"""Ranking of a file's passages by coverage, proximity and position of the question's words."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from bot.decide.retrieval.passages import defined_name, kind
from bot.decide.retrieval.stemmer import pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bot.decide.retrieval.index import Hit, SearchIndex
    from bot.decide.retrieval.passages import Passage

_PLACE = {"definition": 2.0, "assignment": 1.6, "remark": 1.2, "text": 1.0, "import": 0.3}
"""Weight of a word by the kind of its line; the first two only if it is part of the name."""
_NEAR_PAIR = 0.4
"""Bonus for two adjacent words, relative to the weight of the more common one."""
_WHOLE_FILE = 1.5
"""Weight of the rest of the file in a passage's score."""
_LENGTH = 0.4
"""Penalty for a passage's length."""
_MAX_LINE_LENGTH = 300
"""Number of characters read of a line."""
_CALL = re.compile(r"\w\s?[(!]")
_CALLED = 3.0
"""Weight of a word on a line with a call, if calls are asked for."""
_VALUE = re.compile(r"[=:(]\s*-?\d|\bdefault\b.*\d")


@dataclass(frozen=True, slots=True)
class Rated:
    """Passage with its score; `terms` are those in it or its surroundings, with their shares."""

    path: str
    passage: Passage
    score: float
    terms: Mapping[int, float]


class Ranking:
    """Scores of passages in one search index."""

    def __init__(self, ground: SearchIndex) -> None:
        self._ground = ground

    def rate(self, path: str, lines: Sequence[str], parts: Iterable[Passage]) -> list[Rated]:
        """Rate the passages of one file that contain any of the terms, unsorted."""
        by_line: dict[int, list[Hit]] = defaultdict(list)
        for hit in self._ground.hits(path):
            by_line[hit.line].append(hit)
        whole = _WHOLE_FILE * self._ground.whole(path)
        rated = []
        for part in parts:
            line_numbers = [n for n in range(part.start, part.end + 1) if n in by_line]
            if line_numbers or self._ground.on_path(path):
                rated.append(self._rate(path, lines, part, {n: by_line[n] for n in line_numbers}, whole))
        return rated

    def _rate(
        self, path: str, lines: Sequence[str], part: Passage, hits_by_line: Mapping[int, list[Hit]], whole: float
    ) -> Rated:
        amount: dict[int, float] = defaultdict(float)
        shares: dict[int, float] = {}
        for number, hits in hits_by_line.items():
            line = lines[number - 1] if number <= len(lines) else ""
            value = 1.3 if self._gives_value(line) else 1.0
            calls = (
                self._ground.query.asks == "calls"
                and bool(_CALL.search(line[:_MAX_LINE_LENGTH]))
                and kind(line) != "definition"
            )
            for hit in hits:
                place = _CALLED if calls else _weigh_place(line, hit.word)
                amount[hit.term] += hit.share * place * value
                shares[hit.term] = max(hit.share, shares.get(hit.term, 0.0))
        body = set(shares)
        for term, share in self._enclosing_terms(path, part).items():
            amount[term] += share
            shares[term] = max(share, shares.get(term, 0.0))
        length = 1 - _LENGTH + _LENGTH * (part.end - part.start + 1) / 20
        score = 0.0
        for term, count in amount.items():
            count /= length
            score += self._ground.worth(term) * min(1.0, shares[term] + 0.1) * 2.0 * count / (count + 1.0)
        score += self._pairs(lines, hits_by_line)
        if not body:
            score *= 0.3
        return Rated(path, part, (score + whole) * self._ground.file_prior(path), shares)

    def neighbourhoods(self, rated: Rated, lines: int) -> Iterator[dict[int, float]]:
        """Yield the terms within this many lines of a passage, with their shares and those of the enclosing names."""
        around = self._enclosing_terms(rated.path, rated.passage)
        yield dict(around)
        hits = [h for h in self._ground.hits(rated.path) if rated.passage.start <= h.line <= rated.passage.end]
        for first in dict.fromkeys(hit.line for hit in hits):
            near = dict(around)
            for hit in hits:
                if first <= hit.line < first + lines:
                    near[hit.term] = max(hit.share, near.get(hit.term, 0.0))
            yield near

    def between(self, rated: Rated, first: int, last: int) -> dict[int, float]:
        """Return the terms on some lines of a passage and in the enclosing names, with their shares."""
        near = dict(self._enclosing_terms(rated.path, rated.passage))
        for hit in self._ground.hits(rated.path):
            if first <= hit.line <= last:
                near[hit.term] = max(hit.share, near.get(hit.term, 0.0))
        return near

    def _gives_value(self, line: str) -> bool:
        """Return whether the question asks for a number and the line gives one."""
        return self._ground.query.asks_amount and bool(_VALUE.search(line[:_MAX_LINE_LENGTH]))

    def worth_by_line(self, rated: Rated) -> dict[int, dict[int, float]]:
        """Return for each line of a passage its terms and their weights."""
        lines: dict[int, dict[int, float]] = defaultdict(dict)
        for hit in self._ground.hits(rated.path):
            if rated.passage.start <= hit.line <= rated.passage.end:
                worth_by_term = lines[hit.line]
                worth_by_term[hit.term] = max(
                    worth_by_term.get(hit.term, 0.0), self._ground.worth(hit.term) * hit.share
                )
        return lines

    def _enclosing_terms(self, path: str, part: Passage) -> dict[int, float]:
        """Return the terms in the path and in the enclosing names of a passage."""
        shares = dict(self._ground.on_path(path))
        for name in part.names:
            for word in pieces(name):
                for term, share in self._ground.matches(word):
                    shares[term] = max(share, shares.get(term, 0.0))
        return shares

    def _pairs(self, lines: Sequence[str], hits_by_line: Mapping[int, list[Hit]]) -> float:
        """Return the bonus for words that are adjacent in the question and on one line here; doubled inside a name."""
        bonus = 0.0
        for first, second in self._ground.query.pairs:
            best = 0.0
            for number, hits in hits_by_line.items():
                on_line = {hit.term: hit for hit in hits}
                if first in on_line and second in on_line:
                    name = _read(lines[number - 1][:_MAX_LINE_LENGTH])[1] if number <= len(lines) else ""
                    twice = on_line[first].word in name and on_line[second].word in name
                    best = max(best, min(on_line[first].share, on_line[second].share) * (2.0 if twice else 1.0))
            bonus += _NEAR_PAIR * best * min(self._ground.worth(first), self._ground.worth(second))
        return bonus


def _weigh_place(line: str, word: str) -> float:
    what, name = _read(line[:_MAX_LINE_LENGTH])
    if what in ("definition", "assignment") and word not in name:
        return 1.0
    return _PLACE[what]


@lru_cache(maxsize=4_096)
def _read(line: str) -> tuple[str, str]:
    """Return the kind of a line, and the name that it defines or assigns in lower case."""
    what = kind(line)
    return what, defined_name(line).lower()
