"""Subject of a message to the bot: its content words, apart from those about the bot's own work. Pure.

A question without any, and without a name of code, is hardly about the code: *how long does this usually take?* In
doubt it goes to the chat agent, or the asker is asked. The word lists are those of the search, the function words, the
language packs and the orders.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bot.decide.letters import one_form
from bot.decide.retrieval.function_words import FUNCTION_WORDS
from bot.decide.retrieval.query import build_query
from bot.decide.retrieval.stemmer import stem
from bot.decide.retrieval.stopwords import EVERYDAY, STOP, SYNONYMS

if TYPE_CHECKING:
    from collections.abc import Collection

_PLACE = (
    "where|how|why|wo|woher|wie|warum|wieso|weshalb|o\u00f9|comment|pourquoi|d\u00f3nde|donde|c\u00f3mo|por qu\u00e9"
    "|onde|como|por que|di ?mana|bagaimana|gimana|kenapa|mengapa|waar|hoe|waarom|dove|come|perch\u00e9"
    "|\u06a9\u062c\u0627|\u0686\u0637\u0648\u0631|\u0686\u0631\u0627|\u0686\u06af\u0648\u0646\u0647"
)
"""Words by which people ask for a place or a reason."""
_AMOUNT = r"(?:long|many|much|often|soon|lange|viel|viele|oft|teuer|weit)\b"
_OPENS = re.compile(
    rf"(?:^|[.!?:,;\n\u3002])\W{{0,9}}(?:(?:and|so|but|hey|hi|please|und|et|y|e)\W{{1,9}}){{0,4}}(?:{_PLACE})\b(?!\s+{_AMOUNT})",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    rf"[^\W\d_]\W+(?:{_PLACE}|what|which|whether|if|welche[rsn]?|ob|quel(?:le)?s?|qu[e\u00e9]|cu[a\u00e1]l|quais"
    r"|qual|apa|wat|quale)\b|,\s*was\b|\u3069\u3053|\u306a\u305c|\u3069\u3046|\u54ea|\u600e\u4e48|\u4e3a\u4ec0\u4e48",
    re.IGNORECASE,
)
"""Question inside another one: *do you know where ...?*"""
_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH = 3
"""Number of content words from which on a question has a subject, whatever they are."""


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of a text. Build it with `read_subject`."""

    words: tuple[str, ...] = ()
    """Content words that are not about the bot's work, as far as the lists know."""
    count: int = 0
    """Number of all content words."""
    begins_with_question: bool = False
    """True if it begins by asking where, how or why."""
    has_question: bool = False
    """True if it includes such a question."""
    is_english: bool = False
    """True if its function words are English, whose everyday words the lists know."""
    is_technical: bool = False
    """True if one of `words` is a technical term in any language: *cache*, *port*."""
    is_personal: bool = False
    """True if it mentions its author, its reader, or something said before."""
    is_statement: bool = False
    """True if it begins with such a word, unlike orders."""

    def may_be_about_code(self, *, asks: bool) -> bool:
        """Return whether a question may be about code; `asks` is true for a question to nobody in particular."""
        if not self.is_english:
            return self._tells_abroad(asks=asks)
        if self.words:
            return True
        if not asks:
            return self.count > int(self.begins_with_question) and (self.begins_with_question or self.has_question)
        fewest = _ENOUGH if self.is_personal else _ENOUGH - 1
        return self.count >= fewest or ((self.begins_with_question or self.has_question) and self.count > 0)

    @property
    def is_plain(self) -> bool:
        """Return whether it names something of code, though asked of a person: *do you know where … is set?*"""
        return bool(self.words) and (self.has_question or (self.is_english and len(self.words) > 1))

    @property
    def is_told(self) -> bool:
        """Return whether it may report a fault in the code: *owner search broken for names with umlauts*."""
        return self.is_plain and (self.has_question or not self.is_personal)

    def _tells_abroad(self, *, asks: bool) -> bool:
        """Apply `tells` to another language, whose everyday words the lists hardly know."""
        if self.begins_with_question or self.has_question or not asks:
            return (asks or self.has_question) and (bool(self.words) or self.count > 1)
        fewest = _ENOUGH if self.is_personal else _ENOUGH - 1
        return len(self.words) >= fewest or self.is_technical


def read_subject(
    text: str, *, names: Collection[str] = (), small: Collection[str] = (), persons: Collection[str] = ()
) -> Subject:
    """Return the subject of a text.

    `names` are those of people, projects and channels; `small` are the words of orders and of the language packs,
    `persons` those of them for people and for things said before.
    """
    terms = [
        term for term in build_query(text, leave_out=names).terms if term.weight and (term.proves or term.forgiven)
    ]
    every = [word.lower() for word in _WORD.findall(text)]
    spoken = {*every}
    return Subject(
        words=tuple(
            term.word for term in terms if term.proves and not term.forgiven and not _is_small(term.word, small)
        ),
        count=sum(" " not in term.word and term.word not in FUNCTION_WORDS for term in terms),
        begins_with_question=bool(_OPENS.search(text)),
        has_question=bool(_INSIDE.search(text)),
        is_technical=any(stem(term.word) in technical() for term in terms),
        is_english=len(spoken & STOP) > len(spoken & FUNCTION_WORDS - STOP),
        is_personal=not spoken.isdisjoint(persons),
        is_statement=any(word in persons for word in every[:1]),
    )


@cache
def technical() -> frozenset[str]:
    """Return the stems of technical terms with synonyms."""
    return frozenset(stem(word) for group in SYNONYMS for word in group) - frozenset(map(stem, EVERYDAY | STOP))


def _is_small(word: str, small: Collection[str]) -> bool:
    return word in FUNCTION_WORDS or word in small or one_form(word) in small
