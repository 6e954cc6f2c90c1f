"""Whether an asker's message settles their question: words of the language packs, decided by rule. Pure.

To close a question that is still open is worse than to leave a settled one on its card: one word that says *but*,
*still* or *not*, a question mark or a problem is enough for no. A message closes a question only where all of it is
understood, or where it plainly says that the question is solved.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from bot.decide.classify.language_packs import load
from bot.decide.classify.phrases import Phrases, beginning, is_inside, phrases
from bot.decide.classify.text import CODE, LINK, NAME, prose
from bot.decide.retrieval.question_similarity import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.decide.classify.language_packs import Pack

Settles = Literal["closes", "proposes"]
"""Whether the asker has settled it, or an operator is asked whether it is settled."""

EMOJI = frozenset({"white_check_mark", "heavy_check_mark", "ballot_box_with_check", "solved", "resolved"})
"""The reactions by which an asker says that their question is settled."""

_LONGEST = 400
"""Characters of a message that may settle something; who writes more has more to say."""
_FREE = 25
"""Words that may follow on *solved*; as above."""
_MARK = r"[.!,;:\u2026\u3002\uff01\u3001\uff0c\u060c\u00a1]"
_CLAUSE = re.compile(rf"(?<!{_MARK}){_MARK}+(?:\s|$)|\n+|\s[-\u2013\u2014]+\s|[()]|[\u3002\uff01]")
_EDGES = ".,:;!()[]\"'\u2019*_~<>\u00a1\u3001\u060c"
_WORD = re.compile(rf"[\w{NAME}{CODE}{LINK}]")
_ASKS = re.compile(r"[?\uff1f\u061f\u00bf]")
_CHECKS = re.compile(r"[\u2705\u2714\u2611]\ufe0f?|:(?:" + "|".join(sorted(EMOJI)) + r"):")
_LABEL = re.compile(r"[\W_]*[^\W\d_]+(?:\s*\d+)?[*_\])]*\s*(?:[:\uff1a]|\s[-\u2013\u2014])[*_]*\s*")
"""The word by which somebody says that a line is new: `EDIT:`."""
_MARK_ALONE = 3
"""Characters of a mark that somebody leaves in the place of a message."""
_STRUCK = re.compile(r"~[^~\n]+~")
_TAG = re.compile(
    r"^\s*[*_]*[\[(\u3010]([^\])\u3011]{1,40})[\])\u3011]|[\[(\u3010]([^\])\u3011]{1,40})[\])\u3011][*_]*\s*$"
)
_FILLERS = ("openers", "greetings", "acks", "thanks", "settled_words")
_AGAINST = ("unsettled", "questions", "requests", "wishes", "promises", "asks_back")
_TROUBLE = ("problems", "failures")
"""What also stands in an explanation: "solved, it was the wrong port"."""
_OWN = ("settled", "settled_alone", "withdrawn", "settled_words", "settled_ends", "thanks", "greetings")

_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Language:
    """The words of one pack, with what speaks against them in any."""

    settled: Phrases
    alone: Phrases
    withdrawn: Phrases
    fillers: Phrases
    thanks: Phrases
    acks: frozenset[_Words]
    works: frozenset[_Words]
    """Those of them that what follows may limit: "it works on arm"."""
    ends: frozenset[str]
    against: Phrases
    trouble: Phrases


@dataclass(slots=True)
class _Said:
    """What was understood of a message."""

    settled: bool = False
    alone: bool = False
    withdrawn: bool = False
    thanks: bool = False
    limited: bool = False
    """True if what follows may say where it is settled, and so where not."""
    troubled: bool = False
    """True if it names a problem."""
    free: int = 0
    """Words that were not understood."""


class SettlingWords:
    """The words of some packs."""

    def __init__(self, languages: Sequence[str] = ()) -> None:
        packs = load(languages)
        spaced = [pack for pack in packs if pack.spaced]
        self._languages = tuple(_language(pack, spaced) for pack in spaced)
        self._unspaced = tuple(pack for pack in packs if not pack.spaced)
        self._no_answers = phrases(spaced, "promises", "asks_back")
        self._no_answers_inside = tuple(word for pack in self._unspaced for word in pack.words["promises"])

    def settles(self, text: str, *, answered: bool = False) -> Settles | None:
        """Whether the asker's message settles the question; `answered` where a colleague may have answered it."""
        said = prose(_CHECKS.sub(" ", text)).strip()
        if not said:
            return "closes" if _CHECKS.search(text) and not text.strip(_EDGES + " ").isalnum() else None
        if len(said) > _LONGEST or _ASKS.search(said):
            return None
        found = [_settles(understood, answered) for each in self._languages if (understood := _read(said, each))]
        found += [_settles_unspaced(said, pack, answered) for pack in self._unspaced]
        return "closes" if "closes" in found else "proposes" if "proposes" in found else None

    def speaks_of_it(self, text: str) -> bool:
        """Return whether a message says of something that it is solved, whatever that is: `the upload is sorted,
        thanks`."""
        said = prose(text).strip()
        if len(said) > _LONGEST or _ASKS.search(said):
            return False
        if any(word in said for pack in self._unspaced for word in pack.words["settled"]):
            return not any(word in said for pack in self._unspaced for word in pack.words["unsettled"])
        words = tuple(word for clause in _clauses(said) for word in clause)
        found = (each for each in self._languages if is_inside(words, each.settled))
        return any(not is_inside(words, each.against) for each in found)

    def settles_by_edit(self, before: str, after: str) -> Settles | None:
        """Whether an edit of a message says so: a mark or a word that was added, another text, all of it struck out."""
        if is_struck_out(after):
            return "closes"
        tag = _TAG.search(after)
        if tag and self._is_settled_word(tag.group(1) or tag.group(2)):
            return "closes"
        old, new = _flat(before), _flat(after)
        rest = new.replace(old, "\n", 1).replace("~", " ") if old and old in new else _STRUCK.sub(" ", after)
        if self.settles(rest) == "closes":
            return "closes"
        label = _LABEL.match(rest)
        return "proposes" if label and self._only_agrees(rest[label.end() :]) else None

    def _only_agrees(self, text: str) -> bool:
        """Return whether a text does nothing but thank or agree: `got it, thanks`."""
        said = prose(text).strip()
        if not said or len(said) > _LONGEST or _ASKS.search(said):
            return False
        if any(said.strip(_EDGES) in (*pack.words["acks"], *pack.words["thanks"]) for pack in self._unspaced):
            return True
        understood = ((each, _read(said, each)) for each in self._languages)
        return any(
            found and not (found.free or found.troubled) and (found.thanks or _has_clause(said, each.acks))
            for each, found in understood
        )

    def answers(self, text: str) -> bool:
        """Return whether a colleague's message may be an answer: it asks nothing back, and promises none for later."""
        said = prose(text).strip()
        if not said or _ASKS.search(said):
            return False
        words = tuple(word for clause in _clauses(said) for word in clause)
        return not (is_inside(words, self._no_answers) or any(word in said for word in self._no_answers_inside))

    def _is_settled_word(self, word: str) -> bool:
        words = tuple(prose(word).split())
        inner = any(words == (each,) for pack in self._unspaced for each in pack.words["settled"])
        return inner or any(words in (*each.settled, *each.withdrawn) for each in self._languages)


def is_struck_out(text: str) -> bool:
    """Return whether all of a message is struck out, or a mark stands in the place of its words."""
    is_mark = 0 < len(text.strip()) <= _MARK_ALONE
    return (is_mark or bool(_STRUCK.search(text))) and not re.search(r"\w", _STRUCK.sub(" ", text))


def _settles(said: _Said, answered: bool) -> Settles | None:
    brief = said.free <= _FREE and not (said.troubled or said.limited)
    if said.settled or (said.alone and said.withdrawn):
        return "closes" if brief else "proposes"
    if said.troubled:
        return None
    if said.alone:
        return "closes" if brief and not answered else "proposes"
    if said.withdrawn:
        return "proposes" if said.free else "closes"
    return "proposes" if said.thanks and answered and brief else None


def _read(said: str, language: _Language) -> _Said | None:
    """What a message says in a language; `None` where something speaks against it."""
    found = _Said()
    for clause in _clauses(said):
        rest, left = _clause(clause, language, found)
        if any(word in KINDS or word.endswith("n't") for word in left) or is_inside(left, language.against):
            return None
        found.troubled = found.troubled or is_inside(left, language.trouble)
        found.free += sum(word != NAME for word in rest)
    return found


def _clause(words: _Words, language: _Language, found: _Said) -> tuple[_Words, _Words]:
    """Take in what is understood of a clause.

    The answer is its end, which is not, and all that may speak against it: nothing of a phrase that was understood.
    """
    rest, seen, left = words, _Said(), []
    works = False
    while rest:
        for name in ("settled", "withdrawn", "alone"):
            if phrase := beginning(rest, getattr(language, name)):
                setattr(seen, name, True)
                works = works or phrase in language.works
                left.append("")
                break
        else:
            phrase = beginning(rest, language.fillers) or rest[:1] * (rest[0] == NAME)
            if not phrase:
                break
            seen.thanks = seen.thanks or phrase in language.thanks
            left += phrase if len(phrase) == 1 else ("",)
        rest = rest[len(phrase) :]
    if rest and (seen.settled or seen.alone or seen.withdrawn) and not _ends(rest, seen, language):
        return words, words  # "solved the first one", "never mind the cache"
    seen.limited = works and bool(rest)
    for name in ("settled", "alone", "withdrawn", "thanks", "limited"):
        setattr(found, name, getattr(found, name) or getattr(seen, name))
    return rest, (*left, *rest)


def _ends(rest: _Words, seen: _Said, language: _Language) -> bool:
    """Return whether a phrase may be followed by this: "solved by a restart"; of what was withdrawn it is a
    correction."""
    return rest[0] in language.ends and not (seen.withdrawn and not (seen.settled or seen.alone))


def _settles_unspaced(said: str, pack: Pack, answered: bool) -> Settles | None:
    """The same of a language without spaces, where a word counts inside any other."""
    ends = tuple(pack.words["question_ends"])
    if len(said) > 3 * _FREE or said.strip(_EDGES + "\u3002\uff01").endswith(ends):
        return None
    if any(word in said for key in ("unsettled", "requests") for word in pack.words[key]):
        return None
    if any(word in said for key in ("settled", "withdrawn") for word in pack.words[key]):
        return "closes"
    if any(word in said for word in pack.words["settled_alone"]):
        return "proposes" if answered else "closes"
    return "proposes" if answered and any(word in said for word in pack.words["thanks"]) else None


@cache
def settling_words(languages: tuple[str, ...] = ()) -> SettlingWords:
    """The words of the packs of these languages, of all when none is named; built once in a process."""
    return SettlingWords(languages)


def _language(pack: Pack, packs: Iterable[Pack]) -> _Language:
    own = {word for key in _OWN for word in pack.words[key]}  # "no" is *in the* in Portuguese

    def others(*keys: str) -> Phrases:
        found = {word for each in packs for key in keys for word in each.words[key] if each is pack or word not in own}
        return Phrases(sorted(tuple(word.split()) for word in found))

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


def _clauses(said: str) -> list[_Words]:
    parts = (
        tuple(part.strip(_EDGES) for part in clause.split() if _WORD.search(part)) for clause in _CLAUSE.split(said)
    )
    return [words for words in parts if words]


def _has_clause(said: str, phrases: frozenset[_Words]) -> bool:
    return any(clause in phrases for clause in _clauses(said))


def _flat(text: str) -> str:
    return " ".join(text.split())
