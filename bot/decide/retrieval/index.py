"""Search index of one question in one project: files of each term, its rarity, and the files worth reading.

Pure, and deterministic for the same tree. Hits are listed only for files that are read: a common word has hundreds of
thousands.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from bot.decide.retrieval.file_prior import file_prior
from bot.decide.retrieval.query import FOLDED
from bot.decide.retrieval.stemmer import pieces, stem, unaccented

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from bot.decide.retrieval.query import Query

    Occurrences = Sequence[tuple[Sequence[int], Sequence[str]]]
    """Matches in one file: for each search the lines, and the word on each of them in lower case."""

MOST_TERMS = 24
"""Maximum number of terms in the score, the rarest first."""
_BUCKET = 25
"""Number of lines in a bucket for the first, approximate score of a file."""


@dataclass(frozen=True, slots=True)
class Hit:
    """Word of the question on one line."""

    line: int
    term: int
    share: float
    """Similarity of the word to the term: 1 for the term itself, less for synonyms."""
    word: str


@dataclass(frozen=True, slots=True)
class Survey:
    """File counts of a whole project of which only some files were searched."""

    files: int
    holders: Mapping[str, int]
    """Number of files by key, in their text or path."""
    own: Sequence[int]
    """Number of files with each term itself; `synonym_files` counts those with synonyms only."""
    synonym_files: Sequence[int]


class SearchIndex:
    """Matches of one question in one project; with a `survey`, its counts replace those of all files but the notes."""

    def __init__(
        self,
        query: Query,
        occurrences: Mapping[str, Occurrences],
        paths: Sequence[str],
        notes: Container[str] = (),
        survey: Survey | None = None,
    ) -> None:
        self.query = query
        self._found = occurrences
        self._notes = notes
        self._counted = survey
        self._keys = keys_of(query)
        self._known: dict[str, tuple[tuple[int, float], ...]] = {}
        self._spelt: dict[str, list[Hit]] = {}
        self._standing: dict[str, float] = {}
        self._own: dict[int, int] = defaultdict(int)
        self._kin: dict[int, int] = defaultdict(int)
        self._total = max(len(paths), len(occurrences), 1)
        if survey:
            self._total = survey.files + sum(path in notes for path in paths) or 1
        stems = {path: self._stems(occurrences[path]) for path in sorted(occurrences)}
        self._temper(stems)
        self._on_path = {path: shares for path in paths if (shares := self._path_terms(path))}
        self._counts = {path: counts for path, stem_counts in stems.items() if (counts := self._count(stem_counts))}
        self._survey()
        self.rarity = self._rarities()

    def own(self, term: int) -> int:
        """Return the number of files with the term itself, in the path or the text."""
        return self._own[term]

    def count_synonym_files(self, term: int) -> int:
        """Return the number of files with synonyms of the term only."""
        return self._kin[term]

    def worth(self, term: int) -> float:
        """Return the weight of a match of a term."""
        return self.rarity[term] * self.query.terms[term].weight

    def matches(self, word: str) -> tuple[tuple[int, float], ...]:
        """Return the terms that a lower-case word matches, each with its share."""
        matches = self._known.get(word)
        if matches is None:
            matches = self._known[word] = tuple(match for key in self._keys_of(word) for match in self._keys[key])
        return matches

    def hits(self, path: str) -> list[Hit]:
        """Return all hits in one file."""
        spelt = self._spelt.get(path)
        if spelt is None:
            spelt = self._spelt[path] = [
                Hit(line, term, share, word)
                for lines, words in self._found.get(path, ())
                for line, word in zip(lines, words, strict=True)
                for term, share in self.matches(word)
            ]
        return spelt

    def leave_out(self, path: str, lines: set[int]) -> None:
        """Ignore the hits on some lines of a file."""
        self._spelt[path] = [hit for hit in self.hits(path) if hit.line not in lines]

    def on_path(self, path: str) -> Mapping[int, float]:
        """Return the terms in a path, with their shares."""
        return self._on_path.get(path, {})

    def whole(self, path: str) -> float:
        """Return the score of a file as a whole; each term has diminishing returns."""
        counts = self._counts.get(path, {})
        return sum(self.worth(term) * count / (count + 3.0) for term, (count, _) in counts.items())

    def best_files(self, limit: int) -> list[str]:
        """Return the paths of the files to read, most promising first."""
        rough: list[tuple[float, str]] = []
        bounds = sorted((-self._upper_bound(path), path) for path in self._counts.keys() | self._on_path.keys())
        for bound, path in bounds:
            if len(rough) >= limit and bound > sorted(rough)[limit - 1][0]:
                break
            rough.append((-self._approximate_score(path), path))
        return [path for score, path in sorted(rough)[:limit] if score < 0]

    def densest_files(self, limit: int) -> list[str]:
        """Return the paths of the files with the best single lines, best first."""
        dense: list[tuple[float, str]] = []
        for bound, path in sorted((-self._sum_near_terms(path) * self.file_prior(path), path) for path in self._counts):
            if len(dense) >= limit and bound > sorted(dense)[limit - 1][0]:
                break
            dense.append((-self._best_bucket_score(path, 1) * self.file_prior(path), path))
        return [path for score, path in sorted(dense)[:limit] if score < 0]

    def file_prior(self, path: str) -> float:
        """Return the likelihood that a file contains the answer, including files that the asker named."""
        prior = self._standing.get(path)
        if prior is None:
            prior = self._standing[path] = file_prior(self.query, path, is_note=path in self._notes)
        return prior

    def _keys_of(self, word: str) -> list[str]:
        keys = [key for key in (stem(word), f'"{word}') if key in self._keys]
        folded = () if keys else (f"~{stem(form)}" for form in unaccented(word))
        return keys or [key for key in folded if key in self._keys]

    def _stems(self, occurrences: Occurrences) -> dict[str, int]:
        """Count each stem or literal of the question in one file."""
        counts: dict[str, int] = defaultdict(int)
        for _, words in occurrences:
            for word, times in Counter(words).items():
                for key in self._keys_of(word):
                    counts[key] += times
        return counts

    def _temper(self, stems: Mapping[str, Mapping[str, int]]) -> None:
        """Lower the share of synonyms that occur in more files than the word itself: they are weaker evidence."""
        files = Counter(key for path, stem_counts in stems.items() if self._counts_for(path) for key in stem_counts)
        if self._counted:
            files.update(self._counted.holders)
        best_rarity: dict[int, float] = {}
        for key, terms in self._keys.items():
            for term, share in terms:
                if share >= 1 and files[key]:
                    best_rarity[term] = max(best_rarity.get(term, 0.0), self._rarity(files[key]))
        for key, terms in self._keys.items():
            rare = self._rarity(files[key])
            self._keys[key] = tuple(
                (term, share if share >= 1 else share * min(1.0, rare / best_rarity.get(term, rare)))
                for term, share in terms
            )

    def _rarity(self, files: int) -> float:
        return math.log(1 + (self._total - files + 0.5) / (files + 0.5))

    def _count(self, stem_counts: Mapping[str, int]) -> dict[int, tuple[float, float]]:
        """Return for each term of a file its amount and its best share."""
        counts: dict[int, tuple[float, float]] = {}
        for key, times in stem_counts.items():
            for term, share in self._keys[key]:
                amount, best = counts.get(term, (0.0, 0.0))
                counts[term] = (amount + times * share, max(best, share))
        return counts

    def _path_terms(self, path: str) -> dict[int, float]:
        shares = dict(self._keys.get(f'"{PurePosixPath(path).name.lower()}', ()))
        for word in pieces(path.rsplit(".", 1)[0]):
            for term, share in self.matches(word):
                shares[term] = max(share, shares.get(term, 0.0))
        return shares

    def _survey(self) -> None:
        """Count the files of each term, with the term itself or with synonyms."""
        if self._counted:
            self._own.update(enumerate(self._counted.own))
            self._kin.update(enumerate(self._counted.synonym_files))
            self._survey_phrases()
        for path in filter(self._counts_for, self._counts.keys() | self._on_path.keys()):
            shares = {term: share for term, (_, share) in self._counts.get(path, {}).items()}
            for term, share in self._on_path.get(path, {}).items():
                shares[term] = max(share, shares.get(term, 0.0))
            for term, share in shares.items():
                (self._own if share >= FOLDED else self._kin)[term] += 1

    def _survey_phrases(self) -> None:
        """Count the files with a quoted text of several words, which no index contains."""
        for index, term in enumerate(self.query.terms):
            if term.literal and not self._own[index]:
                self._own[index] = sum(index in counts for counts in self._counts.values())

    def _counts_for(self, path: str) -> bool:
        """Return whether a file is not yet part of the survey."""
        return self._counted is None or path in self._notes

    def _rarities(self) -> tuple[float, ...]:
        """Return the rarity of each term among the files; 0 for terms beyond the rarest `MOST_TERMS`."""
        rarity = [self._rarity(self._own[index] or self._kin[index]) for index in range(len(self.query.terms))]
        present = [i for i in range(len(rarity)) if self._own[i] or self._kin[i]]
        rarest = set(sorted(present, key=lambda i: (-rarity[i] * self.query.terms[i].weight, i))[:MOST_TERMS])
        return tuple(value if i in rarest or i not in present else 0.0 for i, value in enumerate(rarity))

    def _upper_bound(self, path: str) -> float:
        """Return an upper bound of the approximate score, from the counts alone."""
        return self._score_path(path, self._sum_near_terms(path))

    def _sum_near_terms(self, path: str) -> float:
        return sum(self.worth(term) * share for term, (_, share) in self._counts.get(path, {}).items())

    def _approximate_score(self, path: str) -> float:
        """Return an approximate score: the whole file's, and that of its best bucket."""
        return self._score_path(path, self._best_bucket_score(path, _BUCKET))

    def _best_bucket_score(self, path: str, size: int) -> float:
        """Return the score of the best bucket of this many lines."""
        near: dict[int, dict[int, float]] = defaultdict(dict)
        for lines, words in self._found.get(path, ()):
            for line, word in zip(lines, words, strict=True):
                for term, share in self.matches(word):
                    bucket = near[line // size]
                    bucket[term] = max(share, bucket.get(term, 0.0))
        return max((sum(self.worth(t) * s for t, s in bucket.items()) for bucket in near.values()), default=0.0)

    def _score_path(self, path: str, near: float) -> float:
        on_path = sum(self.worth(term) * share for term, share in self.on_path(path).items())
        return (near + 0.5 * self.whole(path) + 0.5 * on_path) * self.file_prior(path)


def keys_of(query: Query) -> dict[str, tuple[tuple[int, float], ...]]:
    """Return the terms of each stem; the key of a literal begins with a quotation mark.

    A key with a tilde matches words with accents: an asker who types accents means them.
    """
    keys: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for index, term in enumerate(query.terms):
        for key, share in term.keys.items():
            keys[key].append((index, share))
            if term.word.isascii():
                keys[f"~{key}"].append((index, share * FOLDED))
        if term.literal:
            keys[f'"{term.literal.lower()}'].append((index, 1.0))
    return {key: tuple(matches) for key, matches in keys.items()}
