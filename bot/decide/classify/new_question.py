"""New questions below a reply: sentences about another matter, which say nothing about the reply. Pure.

`what does E07 mean` contains a word of trouble but denies nothing; `why is it still empty` refers to the reply's
result. Sentences of the first kind are removed before a follow-up is checked for a denial.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bot.decide.classify.language_packs import load
from bot.decide.classify.phrases import Phrases, bare_phrases, bare_words, beginning, is_inside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.classify.language_packs import Pack
    from bot.decide.classify.phrases import Words

_SENTENCE = re.compile(r"(?<=[?!.\u2026])\s+|(?<=[\u3002\uff01\uff1f\u061f])|\n+")
_CLAUSE = re.compile(r"(?<=[,;:\u060c])\s+|\s[-\u2013\u2014]+\s")
_MARK = re.compile(r"[?\uff1f\u061f]")
_NEAR = 3
"""Number of words after a question word in which a reference to the reply is its subject: `why does it`."""
_BESIDE = 2
"""Number of words after a question word that decide if a clause without a mark is a statement: `why not`."""
_ASKING = ("plain_questions", "questions", "causes")
"""Pack keys of questions that need no question mark."""


@dataclass(frozen=True, slots=True)
class _Language:
    openers: Phrases
    asides: Phrases
    asking: Phrases
    marked_questions: Phrases
    """Phrases that ask a question if a question mark follows."""
    causes: Phrases
    still: Phrases
    reply_references: Phrases
    conditions: Phrases
    denials: Phrases
    elliptic: Phrases
    """Words that make a clause with a lone question word a statement: `does the same here`."""

    def asks(self, words: Words, *, has_question_mark: bool) -> bool:
        """Return whether a clause begins like a question."""
        words = self._skip_openers(words)
        phrase = beginning(words, self.marked_questions if has_question_mark else self.asking)
        rest = words[len(phrase) :]
        if has_question_mark or not phrase:
            return bool(phrase)
        tells = self.elliptic if len(phrase) == 1 else self.denials
        return bool(rest) and not is_inside(rest[:_BESIDE], tells)

    def is_about_reply(self, words: Words) -> bool:
        """Return whether a question refers to the reply, or to something that is unchanged."""
        still = is_inside(words, self.still)
        clause = self._skip_openers(words)
        if cause := beginning(clause, self.causes):
            return still or is_inside(clause[: len(cause) + _NEAR], self.reply_references)
        return still and is_inside(words, self.reply_references)

    def asks_why_still(self, words: Words) -> bool:
        """Return whether a clause asks why something is unchanged."""
        return is_inside(words, self.still) and bool(beginning(self._skip_openers(words), self.causes))

    def continues(self, words: Words) -> bool:
        """Return whether a clause is a condition of the question before it."""
        return bool(beginning(words, self.conditions))

    def _skip_openers(self, words: Words) -> Words:
        while opener := beginning(words, self.openers):
            words = words[len(opener) :]
        return words


class NewQuestions:
    """Question phrases of the selected language packs."""

    def __init__(self, packs: Sequence[Pack]) -> None:
        self._languages = tuple(_language(pack) for pack in packs if pack.spaced)
        self._unspaced = tuple(pack for pack in packs if not pack.spaced)

    def remove(self, text: str) -> str:
        """Remove new questions from a text."""
        sentences = _SENTENCE.split(text)
        remaining = [self._remove_questions(sentence) for sentence in sentences]
        return text if remaining == sentences else " ".join(part for part in remaining if part.strip())

    def asks_why_still(self, text: str) -> bool:
        """Return whether a text asks why something is unchanged: `why is the list still empty`."""
        clauses = [bare_words(part.lower()) for each in _SENTENCE.split(text) for part in _CLAUSE.split(each) if part]
        return any(each.asks_why_still(words) for each in self._languages for words in clauses) or any(
            _holds(text, pack, "causes") and _holds(text, pack, "still") for pack in self._unspaced
        )

    def _remove_questions(self, sentence: str) -> str:
        """Remove the clauses of a sentence that ask something new."""
        if any(_asks_inside(sentence, pack) for pack in self._unspaced):
            return ""
        has_question_mark = bool(_MARK.search(sentence))
        remaining: list[str] = []
        asking: _Language | None = None
        clauses = _CLAUSE.split(sentence)
        for clause in clauses:
            words = bare_words(clause.lower())
            if asking and asking.continues(words):
                continue
            asking = next(
                (each for each in self._languages if each.asks(words, has_question_mark=has_question_mark)), None
            )
            if asking and not any(each.is_about_reply(words) for each in self._languages):
                if remaining and any(
                    bare_words(remaining[-1].lower()) in each.asides.places for each in self._languages
                ):
                    remaining.pop()
                continue
            remaining.append(clause)
        return sentence if len(remaining) == len(clauses) else " ".join(remaining)


def _asks_inside(sentence: str, pack: Pack) -> bool:
    """Return whether a sentence of a language without spaces asks about something else."""
    asks = sentence.strip(" \u3002\uff1f?").endswith(pack.words["question_ends"]) or _holds(
        sentence, pack, "asked_verbs"
    )
    return asks and not (_holds(sentence, pack, "still") or _holds(sentence, pack, "causes"))


def _holds(text: str, pack: Pack, key: str) -> bool:
    return any(word in text for word in pack.words[key])


def _language(pack: Pack) -> _Language:
    def read(*keys: str) -> Phrases:
        return bare_phrases(word for key in keys for word in pack.words[key])

    return _Language(
        openers=read("openers"),
        asides=read("asides"),
        asking=read(*_ASKING),
        marked_questions=read("question_words", "interrogatives", *_ASKING),
        causes=read("causes"),
        still=read("still"),
        reply_references=read("told"),
        conditions=read("conditions"),
        denials=read("denials", "still"),
        elliptic=read("denials", "still", "sameness"),
    )


@cache
def _questions() -> NewQuestions:
    return NewQuestions(load())


def remove_new_questions(text: str) -> str:
    """Remove new questions from a text, in any language that has a pack."""
    return _questions().remove(text)


def asks_why_still(text: str) -> bool:
    """Return whether a text asks why something is unchanged, in any language that has a pack."""
    return _questions().asks_why_still(text)
