"""Quotes checked against the lines that they cite: the same words, with any common indent removed.

Relative indents must match exactly, since they carry meaning. The file's own lines are shown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NEGATIONS = frozenset(
    word
    for words in (
        "not no never without cannot cant dont doesnt didnt isnt arent wont nor neither non none nobody nothing hardly",
        "nicht nie niemals kein keine keinen keinem keiner keines keinesfalls keineswegs ohne weder",
        "ne pas jamais aucun aucune sans ni",
        "nunca jamás sin ningún ninguna ninguno tampoco",
        "não nao sem nenhum nenhuma nem",
        "tidak jangan bukan tanpa tak belum",
        "هرگز بدون نه",
    )
    for word in words.split()
)
"""Negations of languages with spaces; in others a negation is part of a word, which no quote cuts."""
_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")
_CLAUSE_ENDS = re.compile(r"[.;!?](?=\s)")
_NEAR = 3
"""Maximum distance in words of a negation before a quote that needs it: *must not be set*."""
_NEXT = 2
"""Maximum distance in words of a negation after a quote that needs it: *startet nicht*."""


def find_own_text(cited: Sequence[str], quote: str) -> str | None:
    """Return the cited text of a quote; `None` if the lines do not contain it.

    Each quoted line matches one cited line; the first may start and the last may end inside its line, but never inside
    a word.
    """
    text = "\n".join(cited)
    for at in _places(text, quote):
        return _cut_columns(cited, at, at + len(quote) - text.rfind("\n", 0, at + len(quote)) - 1)
    indent = common_indent(cited)
    if "\n" not in quote or not indent:
        return None
    for dropped in range(len(indent), 0, -1):
        for shifted in _shift_left(cited, dropped):
            starts = _places(shifted, quote) if dropped == len(indent) else iter((0,) * shifted.startswith(quote))
            for at in starts:
                end = at + len(quote)
                if _is_one_word(quote[-1], shifted[end : end + 1]):
                    continue
                last = end - shifted.rfind("\n", 0, end) - 1
                return _cut_columns(cited, at + dropped if at else 0, last + dropped)
    return None


def contains_quote(text: str, quote: str) -> bool:
    """Return whether `text` contains `quote` without a cut word at either end."""
    return next(_places(text, quote), None) is not None


def found_in(text: str, quote: str) -> bool:
    """Return whether a text contains `quote`, apart from a common indent."""
    if contains_quote(text, quote):
        return True
    head, *rest = quote.split("\n")
    if not rest:
        return False
    lines = text.split("\n")
    starts = [at for at in range(len(lines) - len(rest)) if head.strip() in lines[at]]
    return any(find_own_text(lines[at : at + len(rest) + 1], quote) is not None for at in starts)


def common_indent(lines: Sequence[str]) -> str:
    """Return the common indent of all lines that are not blank."""
    indents = [line[: len(line) - len(line.lstrip(" \t"))] for line in lines if line.strip()]
    if not indents:
        return ""
    first, last = min(indents), max(indents)  # a prefix common to these two is common to all
    return first[: next((at for at, char in enumerate(first) if not last.startswith(char, at)), len(first))]


def is_whole(cited: Sequence[str], quote: str) -> bool:
    """Return whether a quote is all of its lines, apart from blanks around them and a removed indent."""
    text = "\n".join(cited)
    shifted = {each.strip() for each in _shift_left(cited, len(common_indent(cited)))}
    return quote.strip() in {text.strip(), *shifted}


def _shift_left(cited: Sequence[str], dropped: int) -> list[str]:
    """Remove an indent; blank lines keep their remaining blanks or lose all, as in different editors."""
    shifted = "\n".join(line[dropped:] for line in cited)
    return list(dict.fromkeys((shifted, "\n".join(line[dropped:] if line.strip() else "" for line in cited))))


def _cut_columns(cited: Sequence[str], start: int, end: int) -> str:
    """Cut the lines from a column of the first to a column of the last; whole lines if a negation is adjacent.

    The first of several lines keeps its indent, which relates it to the others.
    """
    first, last = cited[0], cited[-1]
    is_apart = _follows_negation(first[:start]) or _precedes_negation(last[end:])
    if len(cited) == 1:
        return first if is_apart else first[start:end]
    if is_apart:
        return "\n".join(cited)
    return "\n".join((first[start:] if first[:start].strip() else first, *cited[1:-1], last[:end]))


def _follows_negation(before: str) -> bool:
    """Return whether a negation closely precedes, in the same clause."""
    ends = [match.end() for match in _CLAUSE_ENDS.finditer(before)]
    clause = before[ends[-1] if ends else 0 :].lower()
    if clause.rstrip("(").endswith(("!", "n'", "n\u2019")):  # `!enabled`, *n'est*
        return True
    return any(map(_is_negation, _WORD.findall(clause)[-_NEAR:]))


def _precedes_negation(after: str) -> bool:
    """Return whether a negation closely follows, in the same clause."""
    match = _CLAUSE_ENDS.search(after)
    words = _WORD.findall(after[: match.start()] if match else after)
    return any(_is_negation(word.lower()) for word in words[:_NEXT])


def _is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith(("n't", "n\u2019t"))


def _places(text: str, quote: str) -> Iterator[int]:
    """Yield each position of a quote in a text without a cut word at either end."""
    at = text.find(quote)
    while at >= 0:
        end = at + len(quote)
        if not (_is_one_word(text[at - 1 : at], quote[0]) or _is_one_word(quote[-1], text[end : end + 1])):
            yield at
        at = text.find(quote, at + 1)


def _is_one_word(left: str, right: str) -> bool:
    """Return whether two adjacent characters belong to one word."""
    return all(char.isalnum() or char == "_" for char in (left, right)) if left and right else False
