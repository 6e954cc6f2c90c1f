"""Cited passages: the lines of a file that a draft quotes, or the sentence of a document in them."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.decide.retrieval.bare_lines import is_bare, is_description_line
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
    """Name of the setting or constant whose value the quote shows; empty for a passage found by its words."""
    line: int = 0
    """Line that a shorter quote must include; 0 for none."""
    is_kept: bool = False
    """True if it is a reference of the previous draft."""
    is_pointed_at: bool = False
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
    def from_rated(cls, rated: Rated, lines: Sequence[str], index: SearchIndex, ranking: Ranking) -> Cited | None:
        """Return the passage with its best quote; `None` when its path or its lines cannot be put in a reply."""
        worth = ranking.worth_by_line(rated)
        snippet = quote(lines, rated.passage, worth) if _PATH.fullmatch(rated.path) else None
        if snippet is None:
            return None
        cited = cls(rated, snippet, _matched_words(rated, index), lines, worth)
        return (cited.with_best_sentence(index) if is_document(rated.path) else cited).with_context()

    @classmethod
    def defining(cls, rated: Rated, lines: Sequence[str], value: Value) -> Cited | None:
        """Return the definition of a value, complete where that can be quoted; `None` where its own line cannot."""
        if not _PATH.fullmatch(rated.path):
            return None
        below = lines[value.end].strip() if value.end < len(lines) else ""
        end = value.end + bool(_DOCSTRING.fullmatch(below))
        snippet = stretch(lines, value.start, end, value.definition.line)
        name = value.definition.name or "the default"
        if snippet is None:
            return None
        cited = cls(
            rated,
            snippet,
            (name,),
            lines,
            {},
            sets=name,
            line=value.definition.line,
            value=literal(value.definition.value),
        )
        if value.definition.is_default:
            cited = replace(cited, is_default=True, value=cited.value or _short(value.definition.value))
        if is_document(rated.path):
            covering = [
                sentence
                for sentence in sentences(lines, *_find_paragraph(lines, value.definition.line))
                if sentence.covers(value.definition.line)
            ]
            telling = [sentence for sentence in covering if value.definition.value in sentence.text]
            return cited.with_sentence(telling[0]) if telling else cited
        return cited

    @classmethod
    def from_reference(
        cls, rated: Rated, lines: Sequence[str], start: int, end: int, ground: SearchIndex, ranking: Ranking
    ) -> Cited:
        """Return a reference of the previous draft, with the same lines."""
        snippet = Quote(start, end, tuple(lines[start - 1 : end]))
        return cls(
            rated, snippet, _matched_words(rated, ground), lines, ranking.worth_by_line(rated), line=start, is_kept=True
        )

    @classmethod
    def from_lines(cls, rated: Rated, snippet: Quote, lines: Sequence[str], line: int) -> Cited:
        """Return a passage that quotes the given lines."""
        return cls(rated, snippet, (), lines, {}, line=line)

    def with_best_sentence(self, ground: SearchIndex) -> Cited:
        """Quote the best sentence instead, where it has about as many of the words as the lines."""
        words: dict[int, dict[str, tuple[int, float]]] = defaultdict(dict)
        for hit in ground.hits(self.rated.path):
            words[hit.line][hit.word] = (hit.term, ground.worth(hit.term) * hit.share)
        part = self.rated.passage
        name = part.names[-1] if part.names and part.names[-1] in self.lines[part.start - 1] else ""
        terms = {term: share for word in pieces(name) for term, share in ground.matches(word)}
        heading = _GOES_ON * sum(ground.worth(term) * share for term, share in terms.items())
        value = ground.query.asks_amount
        best = best_sentence(self.lines, part.start, part.end, words, value=value, heading=heading)
        whole: dict[int, float] = {}
        for number in range(self.quote.start, self.quote.end + 1):
            for term, amount in self.worth.get(number, {}).items():
                whole[term] = max(amount, whole.get(term, 0.0))
        return self.with_sentence(best[0]) if best and best[1] >= _AS_MUCH * sum(whole.values()) else self

    def with_context(self) -> Cited:
        """Quote the text that bare lines, such as a heading, belong to, if there is any."""
        if not self.bare:
            return self
        part = self.rated.passage
        if is_document(self.rated.path):
            below = next(sentences(self.lines, self.quote.end + 1, part.end), None)
            return self.with_sentence(below) if below else self
        telling_lines = [at for at in range(part.start, part.end + 1) if is_description_line(self.lines[at - 1])]
        at = min(telling_lines, key=lambda line: abs(line - self.quote.start), default=0)
        snippet = stretch(self.lines, at, at, at) if at else None
        return replace(self, quote=snippet, line=at) if snippet else self

    def with_sentence(self, sentence: Sentence) -> Cited:
        """Quote a sentence; keep the lines where one of the sentence's cannot be quoted."""
        snippet = stretch(self.lines, sentence.start, sentence.end, sentence.start)
        if snippet is None or (snippet.start, snippet.end) != (sentence.start, sentence.end):
            return self
        return replace(self, quote=snippet, sentence=sentence.text)

    def holds(self, value: Value) -> bool:
        """Return whether the quote includes a whole definition."""
        return self.rated.path == value.path and self.quote.start <= value.start and self.quote.end >= value.end

    def with_definition(self, value: Value) -> Cited:
        """Return the same passage as the definition of a value."""
        return replace(self, sets=value.definition.name or "the default", line=value.definition.line)

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
        names = " / ".join(sanitize_words(name, _NAME_SHOWN) for name in self.rated.passage.names[-2:])
        return f" in {names}" if names.strip() else ""

    @property
    def evidence(self) -> EvidenceRef:
        """Return the reference, which code can check word for word."""
        claim = f"These lines{self.place} have the asker's words: {list_words(self.words)}."
        if self.sets:
            claim = f"These lines{self.place} set {sanitize_words(self.sets, _NAME_SHOWN)}."
        elif self.calls:
            claim = f"These lines{self.place} call {sanitize_words(self.calls, _NAME_SHOWN)}."
        return EvidenceRef(kind=self.kind, ref=self.ref, quote="\n".join(self.quote.lines), supports_claim=claim)

    def __str__(self) -> str:
        if self.sentence:
            return f"`{self.ref}`{self.place}:\n\n> {self.sentence}"
        body = "\n".join(self.quote.lines)
        return f"{self._opening}:\n```\n{body}\n```"

    @property
    def _opening(self) -> str:
        """Return the introduction of a quote: the setting with its value, else the place."""
        name = sanitize_words(self.sets or self.calls, _NAME_SHOWN)
        if self.calls and _NAME.fullmatch(name):
            return f"`{name}` is called in `{self.ref}`{self.place}"
        if not name or name in GENERIC or not _NAME.fullmatch(name):
            return f"`{self.ref}`{self.place}"
        if self.is_default and self.value:
            return f"`{name}` defaults to `{self.value}` in `{self.ref}`"
        value = f" to `{self.value}`" if self.value else ""
        return f"`{name}` is set{value} in `{self.ref}`"


def _matched_words(rated: Rated, ground: SearchIndex) -> tuple[str, ...]:
    terms = ground.query.terms
    term_ids = sorted(rated.terms)
    return tuple(terms[term].word for term in term_ids if terms[term].proves) or tuple(terms[t].word for t in term_ids)


def _find_paragraph(lines: Sequence[str], line: int) -> tuple[int, int]:
    """Return the first and the last line of the paragraph around a line."""
    first = last = line
    while first > 1 and lines[first - 2].strip():
        first -= 1
    while last < len(lines) and lines[last].strip():
        last += 1
    return first, last


def literal(value: str) -> str:
    """Return a value as it fits into a sentence; empty for more than one literal."""
    match = _LITERAL.match(value.strip())
    return match[0] if match else ""


def _short(value: str) -> str:
    """Return a documented default that is one word, such as `info` or `24h`; else nothing."""
    return value if re.fullmatch(r"[\w.:/+%-]{1,40}", value) else ""


def sanitize_words(text: str, limit: int = 40) -> str:
    """Return a person's words without markup and control characters, cut to a maximum length."""
    plain = " ".join(re.sub(r"[^\w\s.,:/()'&+-]", " ", text).split())
    return plain if len(plain) <= limit else plain[: limit - 1].rstrip() + "…"


def list_words(words: Iterable[str]) -> str:
    """Return the distinct words of the question; those beyond the first ten are counted."""
    unique_words = [word for word in dict.fromkeys(map(sanitize_words, words)) if word]
    remainder = f" and {len(unique_words) - _WORDS_SHOWN} more" if len(unique_words) > _WORDS_SHOWN else ""
    return ", ".join(unique_words[:_WORDS_SHOWN]) + remainder
