"""Value ranking: scores definitions by names, surroundings and earlier citations.

Pure; works on a search index and on lines that are already read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from bot.decide.retrieval.passages import is_document
from bot.decide.retrieval.snippets import quotable
from bot.decide.retrieval.stemmer import pieces
from bot.decide.values.definition_cache import known_definitions
from bot.decide.values.definitions import MOST_LINES, PLAIN_ENDINGS
from bot.decide.values.extents import extent
from bot.decide.values.quantities import measures, names_quantity, quantity, suits
from bot.decide.values.registered_values import in_settings
from bot.decide.values.value import Value
from bot.decide.values.value_question import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bot.decide.bounce.correction import Correction
    from bot.decide.retrieval.index import SearchIndex
    from bot.decide.values.definition import Definition
    from bot.decide.values.quantities import Quantity

LEAST = 0.15
"""Minimum share of the question's words in a definition and its surroundings."""

_SCOPE = 0.8
_NEARBY = 0.6
_PATH = 0.4
"""Weight of a word in the enclosing names, in a comment, in the path; 1 in the definition's own name."""
_HINTED = 3.0
"""Factor for a word of a definition's own name that represents an idiom: `timeout` for *how long*."""
_ABOVE = 6
_PRECISION = 0.45
"""Penalty for words of a name that are not in the question."""
_SCOPE_PRECISION = 0.25
_NAMED_BEFORE = 1.35
"""Factor for a name in the previously cited lines."""
_SAME_FILE = 1.15
_CITED = 1.4
"""Factor for a definition in the previously cited lines."""
_TYPES = 0.4
"""Factor for files of type declarations or of other projects' versions, which contain no values."""
_DECLARES = re.compile(
    r"\.(?:d\.[cm]?ts|pyi|proto|pb\.\w+)$|_pb2(?:_grpc)?\.py$|\.schema\.json$|(?:^|/)crds?/"
    r"|(?:^|/)(?:package(?:-lock)?\.json|[\w.-]+\.lock|go\.(?:mod|sum)|[Cc]argo\.toml|pom\.xml|[\w.-]+\.csproj)$"
)
_DOCUMENTED = 0.7
"""Weight of a documented default relative to the code that sets it."""
_COUNTER = 0.5
"""Factor for a variable in a body that starts at nothing: it is not a setting."""
_BEGINS = re.compile(r"(?:0(?:\.0)?|None|null|nil|undefined|\"\"|''|\{\}|\[\]|new [\w<>]+\(\)|false|False)[;,)\s]*$")
_BESIDES = ("body", "argument", "top", "class")
_MEASURES = frozenset(("large", "big", "long", "often", "high", "much", "old", "far", "wide", "soon"))
"""Words after *how* that ask for a quantity but do not name it."""
_FORGIVEN = 0.6
"""Weight of an everyday word of the question."""
_IN_TESTS = 0.45
_DEFAULT = 1.25
_SETTINGS = 1.1
_WHOLE = 1.5
_BLOCK = 0.4
"""Factor for a block if a single value is asked for; in a body it creates something and sets nothing."""
_AMOUNT = 0.6
"""Factor for a value without a digit if a number is asked for."""
_CONTEXTS = {"top": 1.0, "class": 1.0, "literal": 0.9, "signature": 0.95, "body": 0.45, "argument": 0.35}
"""Weight of a definition by its context."""
_FIELD = 0.8
"""Weight of a field that is set in a body: `options.timeout = 5`."""
_WRITTEN_OUT = 0.9
_PLAIN = frozenset(
    ("default", "defaults", "max", "min", "maximum", "minimum", "num", "the", "value", "k", "self", "this")
)
_SETTINGS_WORDS = frozenset(
    (
        *("default", "defaults", "config", "configuration", "settings", "setting", "options", "option", "const", "var"),
        *("init", "self", "params", "props", "values", "args", "data"),
    )
)
"""Words of an enclosing name that need not be in the question."""
_CONFIG = re.compile(r"(?:^|/)[^/]*(?:settings?|config|defaults?|constants?|options|values)[^/]*(?:/|$)", re.IGNORECASE)
_COMMENT = re.compile(r"^\s*(?:#|//|/\*|\*|--|\"\"\"|''')")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{2,}")


def identifiers(quotes: Iterable[str]) -> frozenset[str]:
    """Return the identifiers in quoted lines, except generic ones."""
    names = {name for quote in quotes for name in _IDENTIFIER.findall(quote)}
    return frozenset(name for name in names if len(name) > 3 and ("_" in name or not name.islower() or len(name) > 6))


@dataclass(frozen=True, kw_only=True)
class ValueRanking:
    """Ranking of definitions for one question in one project."""

    search_index: SearchIndex
    correction: Correction
    before: frozenset[str] = frozenset()
    """Names in the previously cited lines."""
    files: frozenset[str] = frozenset()
    """Previously cited files."""
    spans: tuple[tuple[str, int, int], ...] = ()
    """Previously cited lines: path, first and last."""
    question: str = ""

    @cached_property
    def _quantity(self) -> Quantity:
        """Return the kind of quantity in the feedback, otherwise in the question."""
        return "" if self.correction.asks_whole else quantity(self.correction.request) or quantity(self.question)

    def rate(self, texts: Mapping[str, Sequence[str]]) -> list[Value]:
        """Rate the definitions of these files that may show the value, best first."""
        rated = [value for path, lines in texts.items() for value in self._rate(path, lines)]
        return sorted(rated, key=lambda value: (-value.score, value.path, value.definition.line))

    def _rate(self, path: str, lines: Sequence[str]) -> list[Value]:
        standing = self.search_index.file_prior(path) * (_SETTINGS if _CONFIG.search(path) else 1.0)
        standing *= _TYPES if _DECLARES.search(path) else 1.0
        standing *= _SAME_FILE if path in self.files else 1.0
        hits: dict[int, dict[int, float]] = {}
        for hit in self.search_index.hits(path):
            entry = hits.setdefault(hit.line, {})
            entry[hit.term] = max(hit.share, entry.get(hit.term, 0.0))
        rated = []
        for definition in known_definitions(path, lines):
            if definition.kind == "function" and not self.correction.asks_whole:
                continue
            score = self._score(path, lines, definition, hits) * standing
            score *= _CITED if any(entry == path and a <= definition.line <= b for entry, a, b in self.spans) else 1.0
            if score > 0 and quotable(lines[definition.line - 1]):
                start, end = extent(path, lines, definition, whole=self.correction.asks_whole)
                if definition.kind in ("block", "function") and end - start + 1 >= MOST_LINES // 2:
                    score *= 0.5
                numbers = {*range(start, end + 1), *self._lines_about(lines, definition)}
                rated.append(self._with_terms(Value(score, path, definition, start, end), numbers, hits))
        return rated

    def _with_terms(self, value: Value, numbers: Iterable[int], hits: Mapping[int, Mapping[int, float]]) -> Value:
        """Add the match with the question in names, path and lines; halved if no name has a word of it."""
        definition = value.definition
        names = self._terms((definition.name, *definition.scope))
        terms = {*names, *self.search_index.on_path(value.path)}
        terms.update(term for number in numbers for term in hits.get(number, {}))
        weights = {term: self._term_weight(term) for term in self._present_terms()}
        share = sum(worth for term, worth in weights.items() if term in terms) / (sum(weights.values()) or 1.0)
        name = definition.scope[-1] if definition.generic and definition.scope else definition.name
        own = pieces(name.rsplit(".", 1)[-1])
        left = [word for word in own if word not in _PLAIN and not self.search_index.matches(word)]
        return replace(
            value,
            holds=share if definition.generic or not names.keys().isdisjoint(weights) else share / 2,
            has_rarest=not weights or max(weights, key=weights.__getitem__) in terms,
            held_terms=frozenset(terms),
            named=frozenset(self._terms((name,))) - self._vague,
            names_quantity=measures(self._quantity, frozenset(own)),
            counts_else=self._quantity == "count"
            and not any(self.search_index.query.terms[term].proves for term in self._terms((name, *definition.scope)))
            and any(not names_quantity("count", frozenset((word,))) for word in left),
            unasked=len(left),
        )

    @cached_property
    def _vague(self) -> frozenset[int]:
        """Return the terms that only ask for a value."""
        return frozenset(at for at, term in enumerate(self.search_index.query.terms) if term.word in WORDS)

    def _score(
        self, path: str, lines: Sequence[str], definition: Definition, hits: Mapping[int, Mapping[int, float]]
    ) -> float:
        own = self._terms((definition.name,))
        shares = {term: _PATH * share for term, share in self.search_index.on_path(path).items()}
        _raise(shares, self._terms(definition.scope), 1.0 if definition.generic else _SCOPE)
        for number in self._lines_about(lines, definition):
            _raise(shares, hits.get(number, {}), _NEARBY)
        _raise(shares, own, 1.0)
        for term in own:
            if not self.search_index.query.terms[term].proves:
                shares[term] = min(1.0, _HINTED * own[term])
        total = sum(map(self._term_weight, self._present_terms()))
        covered = sum(self._term_weight(term) * share for term, share in shares.items())
        share = covered / total if total else 0.0
        is_cited_name = definition.name.rsplit(".", 1)[-1] in self.before
        if (share < LEAST and not is_cited_name) or not (
            own or is_cited_name or definition.generic or definition.kind == "stated" or definition.scope
        ):
            return 0.0
        score = (share + (0.2 if is_cited_name else 0.0)) * definition.grade * self._precision(definition, own)
        return (
            score
            * (_NAMED_BEFORE if is_cited_name else 1.0)
            * self._score_kind(definition, path, lines[definition.line - 1])
        )

    def _term_weight(self, term: int) -> float:
        """Return the weight of a term; words of size say nothing about a name."""
        query_term = self.search_index.query.terms[term]
        if self._quantity and query_term.word in _MEASURES:
            return 0.0
        return self.search_index.worth(term) * (_FORGIVEN if query_term.forgiven and query_term.proves else 1.0)

    def _present_terms(self) -> list[int]:
        indices = range(len(self.search_index.query.terms))
        return [term for term in indices if self.search_index.own(term) and self.search_index.query.terms[term].proves]

    def _terms(self, names: Sequence[str]) -> dict[int, float]:
        shares: dict[int, float] = {}
        for name in names:
            for word in pieces(name):
                for term, share in self.search_index.matches(word):
                    shares[term] = max(share, shares.get(term, 0.0))
        return shares

    def _lines_about(self, lines: Sequence[str], definition: Definition) -> list[int]:
        """Return the line numbers about a definition: its own, its comment, its docstring, a small block."""
        numbers = [definition.line]
        above = definition.line - 1
        while above >= max(1, definition.line - _ABOVE) and _COMMENT.match(lines[above - 1]):
            numbers.append(above)
            above -= 1
        below = definition.line
        if below < len(lines) and lines[below].lstrip().startswith(('"""', "'''")):
            numbers += range(below + 1, min(len(lines), below + _ABOVE) + 1)
        if definition.generic and definition.block_start and definition.context in ("class", "argument"):
            numbers += range(definition.block_start, min(len(lines), definition.block_start + MOST_LINES) + 1)
        return numbers

    def _precision(self, definition: Definition, own: Mapping[int, float]) -> float:
        words = [word for word in pieces(definition.name.rsplit(".", 1)[-1]) if word not in _PLAIN]
        if not words or definition.generic or definition.kind == "stated":
            return 1.0 if own or definition.generic else 1.0 - _PRECISION / 2
        return self._asked_for(words, _PRECISION) * self._asked_for(self._enclosing_words(definition), _SCOPE_PRECISION)

    def _enclosing_words(self, definition: Definition) -> list[str]:
        """Return the words of the enclosing name, except generic settings words."""
        words = pieces(definition.scope[-1]) if definition.scope else []
        return [word for word in words if word not in _SETTINGS_WORDS]

    def _asked_for(self, words: Sequence[str], weight: float) -> float:
        matched = sum(
            bool(self.search_index.matches(word)) or names_quantity(self._quantity, frozenset((word,)))
            for word in words
        )
        return 1.0 - weight + weight * matched / len(words) if words else 1.0

    def _score_kind(self, definition: Definition, path: str, line: str) -> float:
        """Return the fit of a definition's kind to the question."""
        factor = 1.0 if definition.generic and definition.context == "argument" else _CONTEXTS[definition.context]
        if definition.context == "body" and "." in definition.name and definition.grade >= _WRITTEN_OUT:
            factor = _FIELD
        block = definition.kind == "block" or definition.value[-1:] in ("{", "(", "[")
        if self.correction.asks_whole:
            factor *= _WHOLE if definition.lists and definition.context != "body" else 1.0
        elif block:
            factor *= _BLOCK if definition.context != "body" else _BLOCK * _BLOCK
        if not self.search_index.query.asks_tests and any(name.lower().startswith("test") for name in definition.scope):
            factor *= _IN_TESTS
        if definition.kind == "stated" and is_document(path):
            factor *= _DOCUMENTED
        spoken = " ".join((definition.name, *definition.scope, path, line)).lower()
        if "default" in spoken:
            factor *= _DEFAULT
        if definition.context in _BESIDES and _BEGINS.match(definition.value) and not _is_setting(definition, path):
            factor *= _COUNTER
        factor *= suits(self._quantity, frozenset(pieces(definition.name)), definition.value)
        number = (self.search_index.query.asks_amount or self.correction.asks_number) and not self.correction.asks_whole
        return factor * (
            _AMOUNT if number and not re.search(r"\d", definition.value) and not definition.follows else 1.0
        )


def _is_setting(definition: Definition, path: str) -> bool:
    """Return whether a name belongs to a setting rather than a variable, so that zero or nothing is its value."""
    return (
        definition.name.isupper()
        or "default" in definition.name.lower()
        or path.endswith(PLAIN_ENDINGS)
        or in_settings(path)
    )


def _raise(shares: dict[int, float], extra: Mapping[int, float], weight: float) -> None:
    for term, share in extra.items():
        shares[term] = max(share * weight, shares.get(term, 0.0))
