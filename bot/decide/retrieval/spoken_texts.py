"""Verbatim texts: runs of a question's words that occur in a string literal of the code, such as a message. Pure.

People do not put quotation marks around every message that they paste. A run found between quotation marks in the code
is searched for as if it had been quoted.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import re2

from bot.decide.retrieval.query import Term
from bot.decide.retrieval.question_echo import find_echoes, is_asking
from bot.decide.retrieval.stopwords import STOP

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.decide.retrieval.query import Query

_WORD = re.compile(r"\w+")
_RUN = 4
"""Minimum number of words in a run."""
_TELLING = 2
"""Minimum number of words in a run that are not function words."""
_LEADING = 4
"""Minimum number of such words in a run that is the question's main subject."""
_SHORTEST = 15
_MOST_WORDS = 120
_MAX_TEXTS = 3
_GAP = r"[^\w\n]{1,4}"
_MARKS = "\"'`"


class VerbatimTexts:
    """Verbatim runs of one question, and their search in files."""

    def __init__(self, question: str) -> None:
        words = [word.lower() for word in _WORD.findall(question)][:_MOST_WORDS]
        starts = [words[at : at + _RUN] for at in range(len(words) - _RUN + 1)]
        runs = [run for run in starts if sum(word not in STOP for word in run) >= _TELLING]
        self._words, self._question = words, question
        self._form = _compile_runs(dict.fromkeys(map(tuple, runs))) if runs else None

    def leads(self, texts: Iterable[str]) -> bool:
        """Return whether one of the runs is the question's main subject: it is long, or nothing else is asked."""
        asks = is_asking(self._question) or "?" in self._question
        return any(
            sum(word not in STOP for word in _WORD.findall(text.lower())) >= _LEADING or not asks for text in texts
        )

    def find(self, files: Iterable[Sequence[str]]) -> list[str]:
        """Return the runs in the code's spelling, longest first."""
        texts = {text for lines in files for text in self._find_texts(lines)} if self._form else set()
        longest = sorted(texts, key=lambda text: (-len(text), text))
        return [text for at, text in enumerate(longest) if not any(text in other for other in longest[:at])][
            :_MAX_TEXTS
        ]

    def _find_texts(self, lines: Sequence[str]) -> Iterable[str]:
        whole = "\n".join(lines)
        for match in self._form.finditer(whole) if self._form else ():
            begin = whole.rfind("\n", 0, match.start()) + 1
            end = whole.find("\n", match.end())
            line = whole[begin : end if end >= 0 else len(whole)]
            text = self._longest(line, match.start() - begin)
            if len(text) >= _SHORTEST and _is_marked(line, match.start() - begin) and not self._is_own(text, line):
                yield text

    def _is_own(self, text: str, line: str) -> bool:
        """Return whether the run is the question itself, which a test or a demo also contains."""
        return is_asking(text) or bool(find_echoes(self._question, "", (line,)))

    def _longest(self, line: str, start: int) -> str:
        """Return the longest run of the question's words at a position of a line."""
        spans = [match.span() for match in _WORD.finditer(line, start)]
        line_words = [line[a:b].lower() for a, b in spans]
        best = 0
        for at, word in enumerate(self._words):
            if line_words and word == line_words[0]:
                count = next(
                    (
                        n
                        for n, (question_word, other) in enumerate(zip(self._words[at:], line_words, strict=False))
                        if question_word != other
                    ),
                    min(len(self._words) - at, len(line_words)),
                )
                best = max(best, count)
        return line[start : spans[best - 1][1]] if best >= _RUN else ""


def with_literals(query: Query, texts: Sequence[str], *, leads: bool = False) -> Query:
    """Add texts to a query that occur verbatim in the code.

    If such a text `leads`, the question's other words help to find, but an answer need not contain them.
    """
    literals = {literal.lower() for literal in query.literals}
    new_texts = [text for text in texts if not any(text.lower() in literal for literal in literals)]
    words = frozenset(word for text in texts for word in _WORD.findall(text.lower()))
    own = query.terms
    if leads and new_texts:
        own = tuple(term if term.word in words else replace(term, proves=False, forgiven=True) for term in own)
    terms = (Term(text, {}, 2.0, literal=text, forgiven=True) for text in new_texts)
    return replace(query, terms=(*own, *terms)) if new_texts else query


def _compile_runs(runs: Iterable[tuple[str, ...]]) -> Any:
    options = re2.Options()
    options.case_sensitive = False
    options.never_capture = True
    options.log_errors = False
    return re2.compile("|".join(rf"\b{_GAP.join(map(re2.escape, run))}\b" for run in runs), options)


def _is_marked(line: str, at: int) -> bool:
    """Return whether a position of a line is inside a string literal; a docstring is none."""
    if '"""' in line or "'''" in line:
        return False
    return any(line[:at].count(mark) % 2 == 1 and mark in line[at:] for mark in _MARKS)
