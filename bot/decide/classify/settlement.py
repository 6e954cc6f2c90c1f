"""Settlement: detects by rule if an asker's message settles their question. Pure.

Closing an open question is worse than leaving a settled one open: one *but*, *still* or *not*, a question mark or a
problem prevents it. A message closes a question only if all of it is understood, or if it plainly says that the
question is solved.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from bot.decide.classify.denial import announces_another
from bot.decide.classify.language_packs import load
from bot.decide.classify.phrases import Phrases, beginning, is_inside, phrases
from bot.decide.classify.text import CODE, LINK, NAME, clean_text
from bot.decide.retrieval.question_similarity import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.decide.classify.language_packs import Pack

Settles = Literal["closes", "proposes"]
"""`closes`: the asker has settled the question; `proposes`: an operator is asked to confirm."""

EMOJI = frozenset({"white_check_mark", "heavy_check_mark", "ballot_box_with_check", "solved", "resolved"})
"""Reactions by which an asker marks their question as settled."""

_LONGEST = 400
"""Maximum length in characters of a message that may settle a question."""
_FREE = 25
"""Maximum number of unknown words after *solved*."""
_MARK = r"[.!,;:\u2026\u3002\uff01\u3001\uff0c\u060c\u00a1]"
_CLAUSE = re.compile(rf"(?<!{_MARK}){_MARK}+(?:\s|$)|\n+|\s[-\u2013\u2014]+\s|[()]|[\u3002\uff01]")
_EDGES = ".,:;!()[]\"'\u2019*_~<>\u00a1\u3001\u060c"
_WORD = re.compile(rf"[\w{NAME}{CODE}{LINK}]")
_ASKS = re.compile(r"[?\uff1f\u061f\u00bf]")
_CHECKS = re.compile(r"[\u2705\u2714\u2611]\ufe0f?|:(?:" + "|".join(sorted(EMOJI)) + r"):")
_LABEL = re.compile(r"[\W_]*[^\W\d_]+(?:\s*\d+)?[*_\])]*\s*(?:[:\uff1a]|\s[-\u2013\u2014])[*_]*\s*")
"""Label that marks an added line: `EDIT:`."""
_MARK_ALONE = 3
"""Maximum length in characters of a mark that replaces a message."""
_STRUCK = re.compile(r"~[^~\n]+~")
_TAG = re.compile(
    r"^\s*[*_]*[\[(\u3010]([^\])\u3011]{1,40})[\])\u3011]|[\[(\u3010]([^\])\u3011]{1,40})[\])\u3011][*_]*\s*$"
)
_FILLERS = ("openers", "greetings", "acks", "thanks", "settled_words")
_AGAINST = ("unsettled", "questions", "requests", "wishes", "promises", "asks_back")
_TROUBLE = ("problems", "failures")
"""Words that also occur in an explanation: "solved, it was the wrong port"."""
_OWN = ("settled", "settled_alone", "withdrawn", "settled_words", "settled_ends", "thanks", "greetings")

_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Language:
    """Phrases of one pack, with the counter-phrases of all packs."""

    settled: Phrases
    alone: Phrases
    withdrawn: Phrases
    fillers: Phrases
    thanks: Phrases
    acks: frozenset[_Words]
    works: frozenset[_Words]
    """Phrases that the following words may limit: "it works on arm"."""
    ends: frozenset[str]
    against: Phrases
    trouble: Phrases


@dataclass(slots=True)
class _Reading:
    """Result of reading a message."""

    settled: bool = False
    alone: bool = False
    withdrawn: bool = False
    thanks: bool = False
    limited: bool = False
    """True if the following words may limit the settlement to a part."""
    troubled: bool = False
    """True if it names a problem."""
    free: int = 0
    """Words that were not understood."""


class SettlingWords:
    """Settlement phrases of the selected language packs."""

    def __init__(self, languages: Sequence[str] = ()) -> None:
        packs = load(languages)
        spaced = [pack for pack in packs if pack.spaced]
        self._languages = tuple(_language(pack, spaced) for pack in spaced)
        self._unspaced = tuple(pack for pack in packs if not pack.spaced)
        self._no_answers = phrases(spaced, "promises", "asks_back")
        self._no_answers_inside = tuple(word for pack in self._unspaced for word in pack.words["promises"])

    def settles(self, text: str, *, answered: bool = False) -> Settles | None:
        """Return whether the asker's message settles the question; `answered` if a colleague may have answered it."""
        cleaned_text = clean_text(_CHECKS.sub(" ", text)).strip()
        if not cleaned_text:
            return "closes" if _CHECKS.search(text) and not text.strip(_EDGES + " ").isalnum() else None
        if len(cleaned_text) > _LONGEST or _ASKS.search(cleaned_text):
            return None
        results = [
            _settles(understood, answered) for each in self._languages if (understood := _read(cleaned_text, each))
        ]
        results += [_settles_unspaced(cleaned_text, pack, answered) for pack in self._unspaced]
        if not any(results) or announces_another(cleaned_text):
            return None
        return "closes" if "closes" in results else "proposes"

    def speaks_of_it(self, text: str) -> bool:
        """Return whether a message reports anything as solved: `the upload is sorted, thanks`."""
        cleaned_text = clean_text(text).strip()
        if len(cleaned_text) > _LONGEST or _ASKS.search(cleaned_text):
            return False
        if any(word in cleaned_text for pack in self._unspaced for word in pack.words["settled"]):
            return not any(word in cleaned_text for pack in self._unspaced for word in pack.words["unsettled"])
        words = tuple(word for clause in _clauses(cleaned_text) for word in clause)
        languages = (each for each in self._languages if is_inside(words, each.settled))
        return any(not is_inside(words, each.against) for each in languages)

    def settles_by_edit(self, before: str, after: str) -> Settles | None:
        """Return whether an edit settles the question: an added mark or word, another text, or all of it struck out."""
        if is_struck_out(after):
            return "closes"
        tag = _TAG.search(after)
        if tag and self._is_settled_word(tag.group(1) or tag.group(2)):
            return "closes"
        old, new = _join_lines(before), _join_lines(after)
        rest = new.replace(old, "\n", 1).replace("~", " ") if old and old in new else _STRUCK.sub(" ", after)
        if self.settles(rest) == "closes":
            return "closes"
        label = _LABEL.match(rest)
        return "proposes" if label and self._only_agrees(rest[label.end() :]) else None

    def _only_agrees(self, text: str) -> bool:
        """Return whether a text only thanks or agrees: `got it, thanks`."""
        cleaned_text = clean_text(text).strip()
        if not cleaned_text or len(cleaned_text) > _LONGEST or _ASKS.search(cleaned_text):
            return False
        if any(cleaned_text.strip(_EDGES) in (*pack.words["acks"], *pack.words["thanks"]) for pack in self._unspaced):
            return True
        understood = ((each, _read(cleaned_text, each)) for each in self._languages)
        return any(
            reading
            and not (reading.free or reading.troubled)
            and (reading.thanks or _has_clause(cleaned_text, each.acks))
            for each, reading in understood
        )

    def answers(self, text: str) -> bool:
        """Return whether a colleague's message may be an answer: it asks nothing back, and does not promise one for
        later."""
        cleaned_text = clean_text(text).strip()
        if not cleaned_text or _ASKS.search(cleaned_text):
            return False
        words = tuple(word for clause in _clauses(cleaned_text) for word in clause)
        return not (is_inside(words, self._no_answers) or any(word in cleaned_text for word in self._no_answers_inside))

    def _is_settled_word(self, word: str) -> bool:
        words = tuple(clean_text(word).split())
        inner = any(words == (each,) for pack in self._unspaced for each in pack.words["settled"])
        return inner or any(words in (*each.settled, *each.withdrawn) for each in self._languages)


def is_struck_out(text: str) -> bool:
    """Return whether a message is struck out or replaced by a mark."""
    is_mark = 0 < len(text.strip()) <= _MARK_ALONE
    return (is_mark or bool(_STRUCK.search(text))) and not re.search(r"\w", _STRUCK.sub(" ", text))


def _settles(reading: _Reading, answered: bool) -> Settles | None:
    brief = reading.free <= _FREE and not (reading.troubled or reading.limited)
    if reading.settled or (reading.alone and reading.withdrawn):
        return "closes" if brief else "proposes"
    if reading.troubled:
        return None
    if reading.alone:
        return "closes" if brief and not answered else "proposes"
    if reading.withdrawn:
        return "proposes" if reading.free else "closes"
    return "proposes" if reading.thanks and answered and brief else None


def _read(text: str, language: _Language) -> _Reading | None:
    """Read a message in one language; `None` if something speaks against settlement."""
    reading = _Reading()
    for clause in _clauses(text):
        rest, left = _clause(clause, language, reading)
        if any(word in KINDS or word.endswith("n't") for word in left) or is_inside(left, language.against):
            return None
        reading.troubled = reading.troubled or is_inside(left, language.trouble)
        reading.free += sum(word != NAME for word in rest)
    return reading


def _clause(words: _Words, language: _Language, reading: _Reading) -> tuple[_Words, _Words]:
    """Add the meaning of a clause to `reading`, and return its unknown end and all words that may count against it.

    Words of a phrase that was understood do not count against it.
    """
    rest, clause_reading, left = words, _Reading(), []
    works = False
    while rest:
        for name in ("settled", "withdrawn", "alone"):
            if phrase := beginning(rest, getattr(language, name)):
                setattr(clause_reading, name, True)
                works = works or phrase in language.works
                left.append("")
                break
        else:
            phrase = beginning(rest, language.fillers) or rest[:1] * (rest[0] == NAME)
            if not phrase:
                break
            clause_reading.thanks = clause_reading.thanks or phrase in language.thanks
            left += phrase if len(phrase) == 1 else ("",)
        rest = rest[len(phrase) :]
    if (
        rest
        and (clause_reading.settled or clause_reading.alone or clause_reading.withdrawn)
        and not _may_follow(rest, clause_reading, language)
    ):
        return words, words  # "solved the first one", "never mind the cache"
    clause_reading.limited = works and bool(rest)
    for name in ("settled", "alone", "withdrawn", "thanks", "limited"):
        setattr(reading, name, getattr(reading, name) or getattr(clause_reading, name))
    return rest, (*left, *rest)


def _may_follow(rest: _Words, clause_reading: _Reading, language: _Language) -> bool:
    """Return whether these words may follow a phrase: "solved by a restart"; after a withdrawal they are a
    correction."""
    return rest[0] in language.ends and not (
        clause_reading.withdrawn and not (clause_reading.settled or clause_reading.alone)
    )


def _settles_unspaced(text: str, pack: Pack, answered: bool) -> Settles | None:
    """Judge a text in a language without spaces, where a word may be part of any other."""
    ends = tuple(pack.words["question_ends"])
    if len(text) > 3 * _FREE or text.strip(_EDGES + "\u3002\uff01").endswith(ends):
        return None
    if any(word in text for key in ("unsettled", "requests") for word in pack.words[key]):
        return None
    if any(word in text for key in ("settled", "withdrawn") for word in pack.words[key]):
        return "closes"
    if any(word in text for word in pack.words["settled_alone"]):
        return "proposes" if answered else "closes"
    return "proposes" if answered and any(word in text for word in pack.words["thanks"]) else None


@cache
def settling_words(languages: tuple[str, ...] = ()) -> SettlingWords:
    """Load the settlement phrases of these languages, of all by default; once per process."""
    return SettlingWords(languages)


def _language(pack: Pack, packs: Iterable[Pack]) -> _Language:
    own = {word for key in _OWN for word in pack.words[key]}  # "no" is *in the* in Portuguese

    def others(*keys: str) -> Phrases:
        words = {word for each in packs for key in keys for word in each.words[key] if each is pack or word not in own}
        return Phrases(sorted(tuple(word.split()) for word in words))

    return _Language(
        settled=phrases((pack,), "settled"),
        alone=phrases((pack,), "settled_alone"),
        withdrawn=phrases((pack,), "withdrawn"),
        works=frozenset(phrases((pack,), "settled_works")),
        fillers=phrases((pack,), *_FILLERS),
        thanks=phrases((pack,), "thanks"),
        acks=frozenset(phrases((pack,), "acks")),
        ends=frozenset(pack.words["settled_ends"]),
        against=others(*_AGAINST),
        trouble=others(*_TROUBLE),
    )


def _clauses(text: str) -> list[_Words]:
    parts = (
        tuple(part.strip(_EDGES) for part in clause.split() if _WORD.search(part)) for clause in _CLAUSE.split(text)
    )
    return [words for words in parts if words]


def _has_clause(text: str, phrases: frozenset[_Words]) -> bool:
    return any(clause in phrases for clause in _clauses(text))


def _join_lines(text: str) -> str:
    return " ".join(text.split())
