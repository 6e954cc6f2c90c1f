"""Whether an asker's word below an answer says that it did not serve, or in part: words of the language packs. Pure.

Asked by `decide/workflow/acknowledging` and `intake/signals`. A word of success counts for nothing beside a negation or
a limit in its clause. Where one clause says so and a later one does not, nobody knows, and nothing is recorded.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from bot.decide.packs import load
from bot.decide.phrases import Phrases, is_inside
from bot.decide.prose import prose

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.decide.packs import Pack
    from bot.decide.phrases import Words

Outcome = Literal["failed", "unclear", "served"]
"""`failed` begins the next question, `unclear` is met with silence, `served` tells of a cause that was found."""

_CLAUSE = re.compile(r"[.,;:!?()\n\u2026\u3001\u3002\uff01\uff0c\uff1b\uff1a\u060c\u061f]+|\s[-\u2013\u2014]+\s")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_NEAR = 5
"""Words between one of success and what denies it, at most."""
_LONGEST = 400
_TAKEN = "_"
"""Stands for a phrase that denies only that something is wrong: `no problem`."""


@dataclass(frozen=True, slots=True)
class _Language:
    worked: Phrases
    denials: Phrases
    failed: Phrases
    served: Phrases
    harmless: Phrases


class OutcomeWords:
    """The words of some packs."""

    def __init__(self, languages: Sequence[str] = ()) -> None:
        packs = load(languages)
        self._languages = tuple(_language(pack) for pack in packs if pack.spaced)
        self._unspaced = tuple(pack for pack in packs if not pack.spaced)

    def outcome(self, text: str) -> Outcome | None:
        """Return what a text says of an answer; `None` where nothing in it denies success or tells of its cause."""
        said = prose(text).lower()[:_LONGEST]
        parts = [part for part in _CLAUSE.split(said) if part.strip()]
        clauses = [words for part in parts if (words := _words(part))]
        read = [[_said(words, each) for words in clauses] for each in self._languages]
        read += [[_said_inside(part, pack) for part in parts] for pack in self._unspaced]
        found = [_whole(each) for each in read]
        if "failed" in found or "unclear" in found:
            return "failed" if "failed" in found else "unclear"
        asks = "?" in said or "\uff1f" in said or "\u061f" in said
        return "served" if "served" in found and not asks else None


def _whole(clauses: Sequence[str | None]) -> Outcome | None:
    if "failed" in clauses:
        after = clauses[len(clauses) - 1 - clauses[::-1].index("failed") :]
        return "unclear" if "worked" in after else "failed"
    return "served" if "served" in clauses else None


def _said(words: Words, language: _Language) -> str | None:
    if is_inside(words, language.failed):
        return "failed"
    words = _without(words, language.harmless)
    worked, denied = _places(words, language.worked), _places(words, language.denials)
    if any(_is_near(one, other) for one in worked for other in denied):
        return "failed"
    if not denied and is_inside(words, language.served):
        return "served"
    return "worked" if worked else None


def _said_inside(clause: str, pack: Pack) -> str | None:
    """The same of a language without spaces, where a word counts inside any other."""
    if any(word in clause for word in pack.words["not_served"]):
        return "failed"
    for word in pack.words["negations"]:
        if not any(each in word for each in pack.words["worked"]):
            clause = clause.replace(word, _TAKEN)
    worked = any(word in clause for word in pack.words["worked"])
    if worked and any(word in clause for word in pack.words["denials"]):
        return "failed"
    if any(word in clause for word in pack.words["was_cause"]):
        return "served"
    return "worked" if worked else None


def _is_near(one: range, other: range) -> bool:
    return -_NEAR <= one.start - other.stop <= _NEAR and -_NEAR <= other.start - one.stop <= _NEAR


def _places(words: Words, known: Phrases) -> list[range]:
    return [
        range(at, at + length)
        for at, word in enumerate(words)
        for length in known.by_first.get(word, ())
        if words[at : at + length] in known.places
    ]


def _without(words: Words, known: Phrases) -> Words:
    taken = {place for places in _places(words, known) for place in places}
    return tuple(_TAKEN if at in taken else word for at, word in enumerate(words))


def _language(pack: Pack) -> _Language:
    def read(*keys: str) -> Phrases:
        return _phrases(word for key in keys for word in pack.words[key])

    worked = read("worked")
    harmless = [word for word in pack.words["negations"] if not is_inside(_words(word), worked)]
    return _Language(
        worked=worked,
        denials=read("denials"),
        failed=read("not_served"),
        served=read("was_cause"),
        harmless=_phrases(harmless),
    )


def _phrases(words: Iterable[str]) -> Phrases:
    return Phrases(sorted({_words(word) for word in words}))


def _words(text: str) -> Words:
    """The words of a text without accents, which many leave out."""
    bare = "".join(sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign))
    return tuple(word.replace("\u2019", "'") for word in _WORD.findall(bare.replace("\u200c", " ")))


@cache
def outcome_words(languages: tuple[str, ...] = ()) -> OutcomeWords:
    """The words of the packs of these languages, of all when none is named; built once in a process."""
    return OutcomeWords(languages)


def outcome(text: str) -> Outcome | None:
    """Return what a text says of an answer, in any language that has a pack."""
    return outcome_words().outcome(text)
