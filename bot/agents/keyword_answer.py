"""Cited passages: the lines of a file that a draft quotes, or the sentence of a document in them."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.decide.retrieval.bare_lines import is_bare, tells
from bot.decide.retrieval.document_sentences import best_sentence, sentences
from bot.decide.retrieval.passages import is_document
from bot.decide.retrieval.snippets import Quote, quote, stretch
from bot.decide.retrieval.stemmer import pieces
from bot.decide.values.definition import GENERIC
from bot.models.findings import EvidenceRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bot.decide.retrieval.document_sentences import Sentence
    from bot.decide.retrieval.index import SearchIndex
    from bot.decide.retrieval.ranking import Ranking, Rated
    from bot.decide.values.value import Value
    from bot.models.findings import EvidenceKind

_GOES_ON = 0.6
"""Weight of a heading's words for the first sentence below it."""
_AS_MUCH = 0.45
"""Share of the best lines' score from which on a single sentence is quoted instead."""
_WORDS_SHOWN = 10
_NAME_SHOWN = 60
_LITERAL = re.compile(
    r"(?:[-+]?(?:\d|\.\d)[\w.]*(?: ?(?:\*\*?|<<) ?[\w.]+)*|\"[^\"`]{1,40}\"|'[^'`]{1,40}'|:\w+|[\w.:]{1,40}\([\d_.]+\)"
    r"|(?:true|false|none|null|nil|on|off|yes|no)\b)(?=\s*(?:[,;)}]|$|/\*|//|#))",
    re.IGNORECASE,
)
"""Value that fits into a sentence."""
_DOCSTRING = re.compile(r"(?:\"{3}|'{3}).+(?:\"{3}|'{3})")
"""Line below a setting that documents it."""
_NAME = re.compile(r"[\w$.:-]+")
"""Name that can be put in backticks."""
_PATH = re.compile(r"[^`\x00-\x1f\x7f\ufffd]+")
"""Path that can be put in a reply."""


@dataclass(frozen=True, slots=True)
class Cited:
    """Passage to cite, with the data to quote more or less of it."""

    rated: Rated
    quote: Quote
    words: tuple[str, ...]
    """The asker's words in the passage or around it."""
    lines: Sequence[str]
    worth: Mapping[int, Mapping[int, float]]
    sets: str = ""
    """Name whose value it shows; empty for a passage found by its words."""
    line: int = 0
    """Line that a shorter quote must include; 0 for none."""
    stays: bool = False
    """True if it is a reference of the previous draft."""
    pointed: bool = False
    """True if an operator named it as the place to look at."""
    kind: EvidenceKind = "file"
    """`memory` for a note outside the project's root."""
    sentence: str = ""
    """Sentence of a document in its lines; empty where the lines themselves are shown."""
    value: str = ""
    """Value that it shows, where that is short."""
    calls: str = ""
    """Name that its lines call, where the question asks for calls."""
    is_default: bool = False
    """True if the lines show a default value."""

    @classmethod
    def of(cls, rated: Rated, lines: Sequence[str], ground: SearchIndex, ranking: Ranking) -> Cited | None:
        """Return the passage with its best quote; `None` when its path or its lines cannot be put in a reply."""
        worth = ranking.worth_by_line(rated)
        found = quote(lines, rated.passage, worth) if _PATH.fullmatch(rated.path) else None
        if found is None:
            return None
        cited = cls(rated, found, _held(rated, ground), lines, worth)
        return (cited.told(ground) if is_document(rated.path) else cited).filled()

    @classmethod
    def defining(cls, rated: Rated, lines: Sequence[str], value: Value) -> Cited | None:
        """Return the definition of a value, complete where that can be quoted; `None` where its own line cannot."""
        if not _PATH.fullmatch(rated.path):
            return None
        below = lines[value.end].strip() if value.end < len(lines) else ""
        end = value.end + bool(_DOCSTRING.fullmatch(below))
        found = stretch(lines, value.start, end, value.found.line)
        name = value.found.name or "the default"
        if found is None:
            return None
        cited = cls(
            rated, found, (name,), lines, {}, sets=name, line=value.found.line, value=literal(value.found.value)
        )
        if value.found.is_default:
            cited = replace(cited, is_default=True, value=cited.value or _short(value.found.value))
        if is_document(rated.path):
            said = [one for one in sentences(lines, *_around(lines, value.found.line)) if one.covers(value.found.line)]
            telling = [one for one in said if value.found.value in one.text]
            return cited.saying(telling[0]) if telling else cited
        return cited

    @classmethod
    def kept(
        cls, rated: Rated, lines: Sequence[str], start: int, end: int, ground: SearchIndex, ranking: Ranking
    ) -> Cited:
        """Return a reference of the previous draft, with the same lines."""
        found = Quote(start, end, tuple(lines[start - 1 : end]))
        return cls(rated, found, _held(rated, ground), lines, ranking.worth_by_line(rated), line=start, stays=True)

    @classmethod
    def opened(cls, rated: Rated, found: Quote, lines: Sequence[str], line: int) -> Cited:
        """Return a passage that quotes the given lines."""
        return cls(rated, found, (), lines, {}, line=line)

    def told(self, ground: SearchIndex) -> Cited:
        """Quote the best sentence instead, where it has about as many of the words as the lines."""
        words: dict[int, dict[str, tuple[int, float]]] = defaultdict(dict)
        for hit in ground.hits(self.rated.path):
            words[hit.line][hit.word] = (hit.term, ground.worth(hit.term) * hit.share)
        part = self.rated.passage
        name = part.names[-1] if part.names and part.names[-1] in self.lines[part.start - 1] else ""
        terms = {term: share for word in pieces(name) for term, share in ground.matches(word)}
        heading = _GOES_ON * sum(ground.worth(term) * share for term, share in terms.items())
        value = ground.query.amount
        found = best_sentence(self.lines, part.start, part.end, words, value=value, heading=heading)
        whole: dict[int, float] = {}
        for number in range(self.quote.start, self.quote.end + 1):
            for term, amount in self.worth.get(number, {}).items():
                whole[term] = max(amount, whole.get(term, 0.0))
        return self.saying(found[0]) if found and found[1] >= _AS_MUCH * sum(whole.values()) else self

    def filled(self) -> Cited:
        """Quote the text that bare lines, such as a heading, belong to, if there is any."""
        if not self.bare:
            return self
        part = self.rated.passage
        if is_document(self.rated.path):
            below = next(sentences(self.lines, self.quote.end + 1, part.end), None)
            return self.saying(below) if below else self
        told = [at for at in range(part.start, part.end + 1) if tells(self.lines[at - 1])]
        at = min(told, key=lambda line: abs(line - self.quote.start), default=0)
        found = stretch(self.lines, at, at, at) if at else None
        return replace(self, quote=found, line=at) if found else self

    def saying(self, sentence: Sentence) -> Cited:
        """Quote a sentence; keep the lines where one of the sentence's cannot be quoted."""
        found = stretch(self.lines, sentence.start, sentence.end, sentence.start)
        if found is None or (found.start, found.end) != (sentence.start, sentence.end):
            return self
        return replace(self, quote=found, sentence=sentence.text)

    def holds(self, value: Value) -> bool:
        """Return whether the quote includes a whole definition."""
        return self.rated.path == value.path and self.quote.start <= value.start and self.quote.end >= value.end

    def showing(self, value: Value) -> Cited:
        """Return the same passage as the definition of a value."""
        return replace(self, sets=value.found.name or "the default", line=value.found.line)

    def at_most(self, lines: int, *, whole: bool = False) -> Cited:
        """Shorten the quote; a sentence, and with `whole` a definition, keeps its length."""
        if self.sentence:
            return self
        if self.line:
            last = self.quote.start + lines - 1
            if (whole and self.sets) or last >= self.quote.end:
                return self
            first = self.quote.start if self.line <= last else self.line
            shorter = stretch(self.lines, first, min(self.quote.end, first + lines - 1), self.line)
            return replace(self, quote=shorter or self.quote)
        shorter = quote(self.lines, self.rated.passage, self.worth, lines)
        return replace(self, quote=shorter or self.quote)

    @property
    def bare(self) -> bool:
        """Return whether the lines answer nothing by themselves, such as a heading."""
        return not (self.sentence or self.sets or self.calls) and is_bare(self.rated.path, self.quote.lines)

    @property
    def ref(self) -> str:
        """Return `path:12-20`, or `path:12` for a single line."""
        span = f"{self.quote.start}-{self.quote.end}" if self.quote.end > self.quote.start else f"{self.quote.start}"
        return f"{self.rated.path}:{span}"

    @property
    def place(self) -> str:
        """Return the enclosing class, function or heading as ` in X`; empty at the top of a file."""
        names = " / ".join(shown(name, _NAME_SHOWN) for name in self.rated.passage.names[-2:])
        return f" in {names}" if names.strip() else ""

    @property
    def evidence(self) -> EvidenceRef:
        """Return the reference, which code can check word for word."""
        claim = f"These lines{self.place} have the asker's words: {listed(self.words)}."
        if self.sets:
            claim = f"These lines{self.place} set {shown(self.sets, _NAME_SHOWN)}."
        elif self.calls:
            claim = f"These lines{self.place} call {shown(self.calls, _NAME_SHOWN)}."
        return EvidenceRef(kind=self.kind, ref=self.ref, quote="\n".join(self.quote.lines), supports_claim=claim)

    def __str__(self) -> str:
        if self.sentence:
            return f"`{self.ref}`{self.place}:\n\n> {self.sentence}"
        body = "\n".join(self.quote.lines)
        return f"{self._opening}:\n```\n{body}\n```"

    @property
    def _opening(self) -> str:
        """Return the introduction of a quote: the setting with its value, else the place."""
        name = shown(self.sets or self.calls, _NAME_SHOWN)
        if self.calls and _NAME.fullmatch(name):
            return f"`{name}` is called in `{self.ref}`{self.place}"
        if not name or name in GENERIC or not _NAME.fullmatch(name):
            return f"`{self.ref}`{self.place}"
        if self.is_default and self.value:
            return f"`{name}` defaults to `{self.value}` in `{self.ref}`"
        value = f" to `{self.value}`" if self.value else ""
        return f"`{name}` is set{value} in `{self.ref}`"


def _held(rated: Rated, ground: SearchIndex) -> tuple[str, ...]:
    terms = ground.query.terms
    held = sorted(rated.terms)
    return tuple(terms[term].word for term in held if terms[term].proves) or tuple(terms[t].word for t in held)


def _around(lines: Sequence[str], line: int) -> tuple[int, int]:
    """Return the first and the last line of the paragraph around a line."""
    first = last = line
    while first > 1 and lines[first - 2].strip():
        first -= 1
    while last < len(lines) and lines[last].strip():
        last += 1
    return first, last


def literal(value: str) -> str:
    """Return a value as it fits into a sentence; empty for more than one literal."""
    found = _LITERAL.match(value.strip())
    return found[0] if found else ""


def _short(value: str) -> str:
    """Return a documented default that is one word, such as `info` or `24h`; else nothing."""
    return value if re.fullmatch(r"[\w.:/+%-]{1,40}", value) else ""


def shown(text: str, most: int = 40) -> str:
    """Return a person's words without markup and control characters, cut to a maximum length."""
    plain = " ".join(re.sub(r"[^\w\s.,:/()'&+-]", " ", text).split())
    return plain if len(plain) <= most else plain[: most - 1].rstrip() + "…"


def listed(words: Iterable[str]) -> str:
    """Return the distinct words of the question; those beyond the first ten are counted."""
    kept = [word for word in dict.fromkeys(map(shown, words)) if word]
    more = f" and {len(kept) - _WORDS_SHOWN} more" if len(kept) > _WORDS_SHOWN else ""
    return ", ".join(kept[:_WORDS_SHOWN]) + more
