"""Outcome detection: tells from an asker's follow-up message if an answer failed, helped or helped in part. Pure.

The words are in the language packs. A word of success next to a negation or a limit in its clause does not count. A
clause that says that the answer failed and a later one that something works make the outcome unclear.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from bot.decide.classify.language_packs import load
from bot.decide.classify.misfits import MISFIT_KEYS, Misfits, elsewhere_inside, misfit_inside, partly_inside
from bot.decide.classify.new_question import remove_new_questions
from bot.decide.classify.phrases import (
    PLACEHOLDER,
    WORD,
    Phrases,
    bare_phrases,
    bare_words,
    beginning,
    is_inside,
    mask_phrases,
    places_of,
)
from bot.decide.classify.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.classify.language_packs import Pack
    from bot.decide.classify.phrases import Words

Outcome = Literal["failed", "unclear", "served", "goes on"]
"""Outcome of an answer: `failed` starts the next question as a denial, `goes on` starts another question, `unclear` is
ignored, `served` names a cause that was found."""

Clause = Literal[
    "failed", "served", "worked", "harmless", "refused", "ours", "same", "same first", "misfit", "amiss", "gone",
    "symptom",
]  # fmt: skip
"""Meaning of a clause, in this order: the answer failed, the cause is found, something works, there is no more
trouble, a plain no, it fails "for us", nothing has changed (also with that said first), the answer is for something
else (plainly, or less so or tried before), trouble is gone, a symptom."""

_CLAUSE = re.compile(r"[.,;:!?()\n\u2026\u3001\u3002\uff01\uff0c\uff1b\uff1a\u060c\u061f]+|\s[-\u2013\u2014]+\s")
_ELIDED = re.compile(r"^[dlnsc]'")
"""Elided French article or pronoun before a vowel."""
_NEAR = 5
"""Maximum number of words between a word of success and its negation."""
_BESIDE = 2
"""Maximum number of words between a negation and the trouble that it negates, or before a *same* that refers to the
whole."""
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class _Language:
    worked: Phrases
    denials: Phrases
    failed: Phrases
    served: Phrases
    harmless: Phrases
    troubles: Phrases
    refusals: Phrases
    openers: Phrases
    sameness: Phrases
    otherwise: Phrases
    us: Phrases
    no_more: Phrases
    follow_ups: Phrases
    at_last: Phrases
    unsettled: Phrases
    misfits: Misfits


class OutcomeWords:
    """Outcome words of the selected language packs."""

    def __init__(self, languages: Sequence[str] = ()) -> None:
        packs = load(languages)
        self._languages = tuple(_language(pack) for pack in packs if pack.spaced)
        self._unspaced = tuple(pack for pack in packs if not pack.spaced)

    def outcome(self, text: str) -> Outcome | None:
        """Return the outcome that a text reports for an answer; `None` if it neither denies success nor names a
        cause."""
        cleaned_text, parts, clauses = _parts(remove_new_questions(text))
        read = [[_classify_clause(words, each) for words in clauses] for each in self._languages]
        read += [[_classify_unspaced_clause(part, pack) for part in parts] for pack in self._unspaced]
        outcomes = [_combine_clauses(each) for each in read]
        if "failed" in outcomes or "unclear" in outcomes:
            return "failed" if "failed" in outcomes else "unclear"
        if self._serves_partly(parts, clauses):
            return "failed"
        if self.announces_another(text):
            return "goes on"
        asks = "?" in cleaned_text or "\uff1f" in cleaned_text or "\u061f" in cleaned_text
        return "served" if "served" in outcomes and not asks else None

    def announces_another(self, text: str) -> bool:
        """Return whether a text announces another question: `one more question`."""
        cleaned_text, _, clauses = _parts(text)
        return any(is_inside(words, each.follow_ups) for each in self._languages for words in clauses) or any(
            word in cleaned_text for pack in self._unspaced for word in pack.words["follow_ups"]
        )

    def _serves_partly(self, parts: Sequence[str], clauses: Sequence[Words]) -> bool:
        """Return whether a text thanks or reports success, but a part is still wrong: `the second one keeps the old
        value`."""
        return any(each.misfits.serves_partly(clauses) for each in self._languages) or any(
            partly_inside(parts, pack) for pack in self._unspaced
        )

    def classify_clauses(self, text: str) -> frozenset[Clause]:
        """Return the meanings of all clauses of a message directly below an answer, where a bare *no* or *same* refers
        to it.

        A clause that one language reads as a denial may have a meaning in another language too.
        """
        _, parts, clauses = _parts(text)
        read = [
            {_classify_clause(words, each) or _classify_clause_below(words, each) for each in self._languages}
            for words in clauses
        ]
        read += [
            {
                _classify_unspaced_clause(part, pack) or _classify_unspaced_clause_below(part, pack)
                for pack in self._unspaced
            }
            for part in parts
        ]
        clause_kinds: set[Clause] = set()
        for kinds in read:
            clause_kinds |= {"failed"} if "failed" in kinds else {each for each in kinds if each}
        if any(each.misfits.is_elsewhere(clauses, each.openers) for each in self._languages) or any(
            elsewhere_inside(parts, pack) for pack in self._unspaced
        ):
            clause_kinds.add("amiss")
        return frozenset(clause_kinds)

    def works_at_last(self, text: str) -> bool:
        """Return whether a text says without restriction that something works now or works again."""
        _, _, clauses = _parts(text)
        return any(
            any(_classify_clause(words, each) == "worked" and is_inside(words, each.at_last) for words in clauses)
            and not any(is_inside(words, each.unsettled) for words in clauses)
            for each in self._languages
        )

    def is_of_us(self, text: str, *, plainly: bool = False) -> bool:
        """Return whether a text refers to its author or their side: `here`, `either`; with `plainly` only phrases
        such as `for us`."""
        cleaned_text, _, clauses = _parts(text)
        inside = any(word in cleaned_text for pack in self._unspaced for word in pack.words["us"])
        places = (place for words in clauses for each in self._languages for place in places_of(words, each.us))
        return inside or any(len(place) > plainly for place in places)


def _parts(text: str) -> tuple[str, list[str], list[Words]]:
    """Return a cleaned text, its clauses and the words of each."""
    cleaned_text = clean_text(text).lower()[:_LONGEST]
    parts = [part for part in _CLAUSE.split(cleaned_text) if part.strip()]
    return cleaned_text, parts, [words for part in parts if (words := bare_words(part))]


def _combine_clauses(clauses: Sequence[Clause | None]) -> Outcome | None:
    if "failed" in clauses:
        after = clauses[len(clauses) - 1 - clauses[::-1].index("failed") :]
        return "unclear" if "worked" in after else "failed"
    return "served" if "served" in clauses else None


def _classify_clause(words: Words, language: _Language) -> Clause | None:
    if is_inside(words, language.failed):
        return "failed"
    words = mask_phrases(words, language.harmless)
    worked, denied = places_of(words, language.worked), places_of(words, language.denials)
    if any(_is_near(place, other) for place in worked for other in denied):
        return "failed"
    if not denied and is_inside(words, language.served):
        return "served"
    return "worked" if worked else None


def _classify_unspaced_clause(clause: str, pack: Pack) -> Clause | None:
    """Classify a clause of a language without spaces, where a word may be part of any other."""
    if any(word in clause for word in pack.words["not_served"]):
        return "failed"
    for word in pack.words["negations"]:
        if not any(each in word for each in pack.words["worked"]):
            clause = clause.replace(word, PLACEHOLDER)
    worked = any(word in clause for word in pack.words["worked"])
    if worked and any(word in clause for word in pack.words["denials"]):
        return "failed"
    if any(word in clause for word in pack.words["was_cause"]):
        return "served"
    return "worked" if worked else None


def _classify_clause_below(words: Words, language: _Language) -> Clause | None:
    """Classify a clause directly below an answer that mentions no success."""
    if _is_refusal(words, language):
        return "refused"
    plain = tuple(_ELIDED.sub("", word) for word in words)
    trouble, denied = places_of(plain, language.troubles), places_of(plain, language.denials)
    if any(0 <= place.start - other.stop < _BESIDE for place in trouble for other in denied):
        return "gone" if is_inside(words, language.no_more) else "harmless"
    if denied and len(words) <= _NEAR and any(len(each) > 1 for each in places_of(words, language.us)):
        return "ours"
    words = mask_phrases(words, language.otherwise)
    if misfit := language.misfits.read(words, language.openers):
        return misfit
    at = [each.start for each in places_of(words, language.sameness)]
    if not at:
        return "symptom" if is_inside(words, language.misfits.symptoms) else None
    return "same first" if min(at) < _BESIDE else "same"


def _is_refusal(words: Words, language: _Language) -> bool:
    """Return whether a clause is a refusal, apart from polite words."""
    is_no = False
    while words:
        phrase = beginning(words, language.refusals)
        is_no = is_no or bool(phrase)
        phrase = phrase or beginning(words, language.openers)
        if not phrase:
            return False
        words = words[len(phrase) :]
    return is_no


_DENIED_BEFORE = frozenset({"zh"})
"""Languages without spaces in which a denial stands before its noun; elsewhere "still" would stand there."""


def _classify_unspaced_clause_below(clause: str, pack: Pack) -> Clause | None:
    """Classify such a clause in a language without spaces."""
    if _strip_punctuation(clause) in pack.words["refusals"]:
        return "refused"
    denied = (f"{no}{trouble}" for no in pack.words["denials"] for trouble in pack.words["problems"])
    if pack.code in _DENIED_BEFORE and any(each in clause for each in denied):
        return "harmless"
    for word in pack.words["otherwise"]:
        clause = clause.replace(word, PLACEHOLDER)
    if misfit := misfit_inside(clause, pack):
        return misfit
    return "same" if any(word in clause for word in pack.words["sameness"]) else None


def _strip_punctuation(clause: str) -> str:
    return " ".join(WORD.findall(clause))


def _is_near(first: range, second: range) -> bool:
    return -_NEAR <= first.start - second.stop <= _NEAR and -_NEAR <= second.start - first.stop <= _NEAR


def _language(pack: Pack) -> _Language:
    def read(*keys: str) -> Phrases:
        return bare_phrases(word for key in keys for word in pack.words[key])

    worked = read("worked")
    harmless = [word for word in pack.words["negations"] if not is_inside(bare_words(word), worked)]
    return _Language(
        worked=worked,
        denials=read("denials"),
        failed=read("not_served"),
        served=read("was_cause"),
        harmless=bare_phrases(harmless),
        troubles=read("problems", "nuisances"),
        refusals=read("refusals"),
        openers=read("openers"),
        sameness=read("sameness"),
        otherwise=read("otherwise"),
        us=read("us"),
        no_more=read("no_more"),
        follow_ups=read("follow_ups"),
        at_last=read("at_last"),
        unsettled=read("unsettled"),
        misfits=Misfits(**{key: read(key) for key in MISFIT_KEYS}, worked=worked),
    )


@cache
def load_outcome_words(languages: tuple[str, ...] = ()) -> OutcomeWords:
    """Load the outcome words of these languages, of all by default; once per process."""
    return OutcomeWords(languages)


def outcome(text: str) -> Outcome | None:
    """Return the outcome that a text reports, in any language that has a pack."""
    return load_outcome_words().outcome(text)


def announces_another(text: str) -> bool:
    """Return whether a text announces another question, in any language that has a pack."""
    return load_outcome_words().announces_another(text)
