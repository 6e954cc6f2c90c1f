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
_TOLD = 0.7
"""Weight of a documented default relative to the code that sets it."""
_COUNTER = 0.5
"""Factor for a variable in a body that starts at nothing: it is no setting."""
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
_SETTLED = frozenset(
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
class Values:
    """Ranking of definitions for one question in one project."""

    ground: SearchIndex
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
        return "" if self.correction.whole else quantity(self.correction.asked) or quantity(self.question)

    def rate(self, texts: Mapping[str, Sequence[str]]) -> list[Value]:
        """Rate the definitions of these files that may show the value, best first."""
        rated = [one for path, lines in texts.items() for one in self._rate(path, lines)]
        return sorted(rated, key=lambda one: (-one.score, one.path, one.found.line))

    def _rate(self, path: str, lines: Sequence[str]) -> list[Value]:
        standing = self.ground.standing(path) * (_SETTINGS if _CONFIG.search(path) else 1.0)
        standing *= _TYPES if _DECLARES.search(path) else 1.0
        standing *= _SAME_FILE if path in self.files else 1.0
        hits: dict[int, dict[int, float]] = {}
        for hit in self.ground.hits(path):
            held = hits.setdefault(hit.line, {})
            held[hit.term] = max(hit.share, held.get(hit.term, 0.0))
        rated = []
        for found in known_definitions(path, lines):
            if found.kind == "function" and not self.correction.whole:
                continue
            score = self._score(path, lines, found, hits) * standing
            score *= _CITED if any(held == path and a <= found.line <= b for held, a, b in self.spans) else 1.0
            if score > 0 and quotable(lines[found.line - 1]):
                start, end = extent(path, lines, found, whole=self.correction.whole)
                if found.kind in ("block", "function") and end - start + 1 >= MOST_LINES // 2:
                    score *= 0.5
                numbers = {*range(start, end + 1), *self._nearby(lines, found)}
                rated.append(self._held(Value(score, path, found, start, end), numbers, hits))
        return rated

    def _held(self, value: Value, numbers: Iterable[int], hits: Mapping[int, Mapping[int, float]]) -> Value:
        """Add the match with the question in names, path and lines; halved if no name has a word of it."""
        found = value.found
        names = self._terms((found.name, *found.scope))
        held = {*names, *self.ground.on_path(value.path)}
        held.update(term for number in numbers for term in hits.get(number, {}))
        asked = {term: self._worth(term) for term in self._asked()}
        share = sum(worth for term, worth in asked.items() if term in held) / (sum(asked.values()) or 1.0)
        name = found.scope[-1] if found.generic and found.scope else found.name
        own = pieces(name.rsplit(".", 1)[-1])
        left = [word for word in own if word not in _PLAIN and not self.ground.matches(word)]
        return replace(
            value,
            holds=share if found.generic or not names.keys().isdisjoint(asked) else share / 2,
            has_rarest=not asked or max(asked, key=asked.__getitem__) in held,
            held=frozenset(held),
            named=frozenset(self._terms((name,))) - self._vague,
            measures=measures(self._quantity, frozenset(own)),
            counts_else=self._quantity == "count"
            and not any(self.ground.query.terms[term].proves for term in self._terms((name, *found.scope)))
            and any(not names_quantity("count", frozenset((word,))) for word in left),
            unasked=len(left),
        )

    @cached_property
    def _vague(self) -> frozenset[int]:
        """Return the terms that only ask for a value."""
        return frozenset(at for at, term in enumerate(self.ground.query.terms) if term.word in WORDS)

    def _score(
        self, path: str, lines: Sequence[str], found: Definition, hits: Mapping[int, Mapping[int, float]]
    ) -> float:
        own = self._terms((found.name,))
        shares = {term: _PATH * share for term, share in self.ground.on_path(path).items()}
        _raise(shares, self._terms(found.scope), 1.0 if found.generic else _SCOPE)
        for number in self._nearby(lines, found):
            _raise(shares, hits.get(number, {}), _NEARBY)
        _raise(shares, own, 1.0)
        for term in own:
            if not self.ground.query.terms[term].proves:
                shares[term] = min(1.0, _HINTED * own[term])
        total = sum(map(self._worth, self._asked()))
        covered = sum(self._worth(term) * share for term, share in shares.items())
        share = covered / total if total else 0.0
        known = found.name.rsplit(".", 1)[-1] in self.before
        if (share < LEAST and not known) or not (
            own or known or found.generic or found.kind == "stated" or found.scope
        ):
            return 0.0
        score = (share + (0.2 if known else 0.0)) * found.grade * self._precision(found, own)
        return score * (_NAMED_BEFORE if known else 1.0) * self._fits(found, path, lines[found.line - 1])

    def _worth(self, term: int) -> float:
        """Return the weight of a term; words of size say nothing about a name."""
        asked = self.ground.query.terms[term]
        if self._quantity and asked.word in _MEASURES:
            return 0.0
        return self.ground.worth(term) * (_FORGIVEN if asked.forgiven and asked.proves else 1.0)

    def _asked(self) -> list[int]:
        held = range(len(self.ground.query.terms))
        return [term for term in held if self.ground.own(term) and self.ground.query.terms[term].proves]

    def _terms(self, names: Sequence[str]) -> dict[int, float]:
        shares: dict[int, float] = {}
        for name in names:
            for word in pieces(name):
                for term, share in self.ground.matches(word):
                    shares[term] = max(share, shares.get(term, 0.0))
        return shares

    def _nearby(self, lines: Sequence[str], found: Definition) -> list[int]:
        """Return the line numbers about a definition: its own, its comment, its docstring, a small block."""
        numbers = [found.line]
        above = found.line - 1
        while above >= max(1, found.line - _ABOVE) and _COMMENT.match(lines[above - 1]):
            numbers.append(above)
            above -= 1
        below = found.line
        if below < len(lines) and lines[below].lstrip().startswith(('"""', "'''")):
            numbers += range(below + 1, min(len(lines), below + _ABOVE) + 1)
        if found.generic and found.opened and found.context in ("class", "argument"):
            numbers += range(found.opened, min(len(lines), found.opened + MOST_LINES) + 1)
        return numbers

    def _precision(self, found: Definition, own: Mapping[int, float]) -> float:
        words = [word for word in pieces(found.name.rsplit(".", 1)[-1]) if word not in _PLAIN]
        if not words or found.generic or found.kind == "stated":
            return 1.0 if own or found.generic else 1.0 - _PRECISION / 2
        return self._asked_for(words, _PRECISION) * self._asked_for(self._around(found), _SCOPE_PRECISION)

    def _around(self, found: Definition) -> list[str]:
        """Return the words of the enclosing name, except generic settings words."""
        words = pieces(found.scope[-1]) if found.scope else []
        return [word for word in words if word not in _SETTLED]

    def _asked_for(self, words: Sequence[str], weight: float) -> float:
        known = sum(
            bool(self.ground.matches(word)) or names_quantity(self._quantity, frozenset((word,))) for word in words
        )
        return 1.0 - weight + weight * known / len(words) if words else 1.0

    def _fits(self, found: Definition, path: str, line: str) -> float:
        """Return the fit of a definition's kind to the question."""
        factor = 1.0 if found.generic and found.context == "argument" else _CONTEXTS[found.context]
        if found.context == "body" and "." in found.name and found.grade >= _WRITTEN_OUT:
            factor = _FIELD
        block = found.kind == "block" or found.value[-1:] in ("{", "(", "[")
        if self.correction.whole:
            factor *= _WHOLE if found.lists and found.context != "body" else 1.0
        elif block:
            factor *= _BLOCK if found.context != "body" else _BLOCK * _BLOCK
        if not self.ground.query.tests and any(name.lower().startswith("test") for name in found.scope):
            factor *= _IN_TESTS
        if found.kind == "stated" and is_document(path):
            factor *= _TOLD
        spoken = " ".join((found.name, *found.scope, path, line)).lower()
        if "default" in spoken:
            factor *= _DEFAULT
        if found.context in _BESIDES and _BEGINS.match(found.value) and not _is_setting(found, path):
            factor *= _COUNTER
        factor *= suits(self._quantity, frozenset(pieces(found.name)), found.value)
        number = (self.ground.query.amount or self.correction.number) and not self.correction.whole
        return factor * (_AMOUNT if number and not re.search(r"\d", found.value) and not found.follows else 1.0)


def _is_setting(found: Definition, path: str) -> bool:
    """Return whether a name belongs to a setting rather than a variable, so that zero or nothing is its value."""
    return found.name.isupper() or "default" in found.name.lower() or path.endswith(PLAIN_ENDINGS) or in_settings(path)


def _raise(shares: dict[int, float], more: Mapping[int, float], weight: float) -> None:
    for term, share in more.items():
        shares[term] = max(share * weight, shares.get(term, 0.0))
