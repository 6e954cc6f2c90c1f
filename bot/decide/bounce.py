"""Correction: what a bounce asks of the next search, read from the operator's own words.

Pure. It tells which references were named as wrong and which stay, what is to be searched for, and whether a value or a
definition is to be shown. Words about the asker and about the draft itself are no search terms.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from bot.decide.bounce_words import (
    ALL,
    ANSWERS,
    ASKER,
    DEFINITION,
    KEEP,
    MANNER,
    META,
    NAMED_ONE,
    NEGATIVE,
    NOUN_AFTER,
    NUMBER,
    NUMBERED,
    ONLY,
    ORDINALS,
    OTHERS,
    POSITIVE,
    REFUSED,
    VALUE,
    VALUE_WORDS,
)
from bot.decide.file_kinds import files_named, is_among, kinds_in, path_of, says, without_kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.reasons import BounceCode

MAX_CHARS = 3_000
"""What is read of the words of a bounce, from their beginning."""

_KEEPS_ALL = ("incomplete", "tone")
"""Reasons that call no place wrong."""
_CLAUSE = re.compile(
    r"[;!?\n]+|\.(?=\s|$)|,\s(?!(?:at |in )?lines?\b)|\s+[-\u2013\u2014]\s+|:\s"
    r"|\b(?:but|and|aber|und|sondern|mais|et|pero|mas)\b"
    r"|(?=\b(?:instead of|rather than|statt|au lieu de|en vez de|em vez de)\b)"
    r"|\s(?=(?:not|nicht|pas|no) (?:the|that|in|der|die|das|le|la|el|[\w./-]+\.\w+)\b)",
    re.IGNORECASE,
)
_JOINING = re.compile(r"\s*(?:,|:|and|und|et|y|e)\s*", re.IGNORECASE)
_BARE = 3
"""Words of a clause that only says how a place is: *wrong*, *is not right*."""
_PLAIN = re.compile(r"(?<![\w./`\"'-])[^\W\d_]+(?:['\u2019][^\W\d_]+)?(?![\w/`\"]|\.\w|['\u2019]\w)")
_NAMES = re.compile(r"`[^`]*`|\S*(?:\w\.\w|_|/)\S*")
"""Paths and identifiers."""
_LINES = re.compile(r"(?::|\blines?\s+|\bL|\bzeilen?\s+|\blignes?\s+)(\d{1,7})", re.IGNORECASE)
_REF = re.compile(r"(?P<path>.+):(?P<first>\d+)(?:-(?P<last>\d+))?")
_MENTION = re.compile(r"<@[^>]*>|@\w+")


@dataclass(frozen=True, slots=True)
class Correction:
    """A bounce, as the next search needs it. Indexes count the references of the bounced draft from 0."""

    words: str = ""
    """What is left to search for."""
    asked: str = ""
    """What is asked for, in the operator's words: all but what was said of places."""
    dropped: frozenset[int] = frozenset()
    """References that were named as wrong: they are cited no more."""
    kept: frozenset[int] = frozenset()
    """References that stay in the next draft."""
    value: bool = False
    """Whether a value is to be shown: a default, a limit, a constant."""
    whole: bool = False
    """Whether a definition of several lines is to be shown: an enum, a dict, a class."""
    number: bool = False
    """Whether the value is to be a number."""
    refused: tuple[str, ...] = ()
    """Files that are refused whole, and kinds of files: no line of them is cited again."""
    wanted: tuple[str, ...] = ()
    """Kinds of files that are asked for: *the config file*."""
    demotes: bool = False
    """Whether the references that were neither named nor kept move down."""

    @property
    def shows(self) -> bool:
        """Whether a definition is looked for."""
        return self.value or self.whole


@dataclass(frozen=True, slots=True)
class _Clause:
    """One part of a sentence, what is said of the places in it, and the places."""

    text: str
    negative: bool
    positive: bool
    named: frozenset[int]
    joined: bool
    """Whether it goes on in the next clause: *the first and the second are wrong*."""


def read_bounce(feedback: str, refs: Sequence[str], code: BounceCode | None = None, asker: str = "") -> Correction:
    """Read the words of a bounce of a draft that rests on `refs` (`path:12-20`), in the draft's order."""
    text = unicodedata.normalize("NFKC", feedback[:MAX_CHARS])
    answers = text.startswith(ANSWERS)
    said = _without_asker(text.removeprefix(ANSWERS), asker)
    clauses = _clauses(said, refs)
    accuses = not answers and code not in _KEEPS_ALL
    dropped: set[int] = set()
    kept: set[int] = set()
    searched: list[str] = []
    refused: list[str] = []
    wanted: list[str] = []
    for at, clause in enumerate(clauses):
        negative, positive = _stance(clauses, at)
        refused += _refused(clause, refs) if negative else ()
        if negative and not clause.named and re.search(ALL, clause.text, re.IGNORECASE):
            dropped |= set(range(len(refs)))
            continue
        if negative and re.search(OTHERS, clause.text, re.IGNORECASE):
            dropped |= set(range(len(refs))) - kept - clause.named
            continue
        if clause.named:
            wrong = negative or (accuses and not positive and _names_a_line(clause.text, code))
            if wrong:
                dropped |= clause.named
                continue
            if positive and re.search(KEEP, clause.text, re.IGNORECASE):
                kept |= clause.named
                if re.search(ONLY, clause.text, re.IGNORECASE):
                    dropped |= set(range(len(refs))) - clause.named
                continue
        elif negative and _is_bare_no(clause) and (kinds := kinds_in(clause.text)):
            dropped |= {at for at, ref in enumerate(refs) if is_among(path_of(ref), kinds)}
            continue
        elif clause.negative and (_is_bare_no(clause) or re.search(REFUSED, clause.text, re.IGNORECASE)):
            continue
        asked_for = () if clause.named else kinds_in(clause.text)
        wanted += asked_for
        searched.append(without_kinds(clause.text, asked_for))
    asked = _NAMES.sub(" ", " \n".join(searched))
    value = bool(re.search(VALUE, asked, re.IGNORECASE))
    whole = bool(re.search(DEFINITION, asked, re.IGNORECASE))
    manner = bool(re.search(MANNER, asked, re.IGNORECASE))
    stays = bool(dropped or refused) or value or whole or manner or code in _KEEPS_ALL
    kept |= set(range(len(refs))) if stays else set()
    words = _searched(" \n".join(searched), drop_values=value or whole)
    return Correction(
        words=words,
        asked=asked,
        dropped=frozenset(dropped),
        kept=frozenset(kept - dropped),
        value=value,
        whole=whole,
        refused=tuple(dict.fromkeys(refused)),
        wanted=tuple(kind for kind in dict.fromkeys(wanted) if kind not in refused),
        number=bool(re.search(NUMBER, asked, re.IGNORECASE)),
        demotes=not stays and not answers,
    )


def _without_asker(text: str, asker: str) -> str:
    """The text without what it says of persons: their names, and that they want, mean or ask."""
    text = _MENTION.sub(" ", text)
    for name in [asker, *asker.split()] if asker else ():
        if len(name) > 1:
            text = re.sub(rf"(?<![\w./`]){re.escape(name)}(?:['\u2019]s)?(?![\w./`(])", " she ", text)
    return re.sub(ASKER, " ", text)


def _clauses(text: str, refs: Sequence[str]) -> list[_Clause]:
    ends = [(found.start(), found.end()) for found in _CLAUSE.finditer(text)]
    bounds = [(0, 0), *ends, (len(text), len(text))]
    clauses = []
    for (_, start), (end, after) in pairwise(bounds):
        clause = text[start:end]
        if clause.strip():
            clauses.append(
                _Clause(
                    clause,
                    negative=bool(re.search(NEGATIVE, clause, re.IGNORECASE)),
                    positive=bool(re.search(POSITIVE, clause, re.IGNORECASE)),
                    named=frozenset(_named(clause, refs)),
                    joined=bool(_JOINING.fullmatch(text[end:after])),
                )
            )
    return clauses


def _stance(clauses: Sequence[_Clause], at: int) -> tuple[bool, bool]:
    """Whether a clause calls its places wrong, and whether right; one that says neither goes with its neighbour."""
    clause, judged = clauses[at], None
    if clause.negative or clause.positive:
        judged = clause
    elif at and _is_bare(clauses[at - 1]):
        judged = clauses[at - 1]
    else:
        for one, following in pairwise(clauses[at:]):
            if not one.joined or not (following.named or _is_bare(following)):
                break
            if following.negative or following.positive:
                judged = following
                break
    return (judged.negative, judged.positive and not judged.negative) if judged else (False, False)


def _is_bare(clause: _Clause) -> bool:
    said = clause.negative or clause.positive
    return said and not clause.named and len(clause.text.split()) <= _BARE


def _is_bare_no(clause: _Clause) -> bool:
    """Whether a clause begins with what calls a place wrong: *not the example*."""
    return bool(re.match(NEGATIVE, clause.text.strip(), re.IGNORECASE))


def _named(clause: str, refs: Sequence[str]) -> set[int]:
    """The references that a clause names: by path, by line, by their place in the draft."""
    lines = [int(number) for number in _LINES.findall(clause)]
    by_path: set[int] = set()
    by_line: set[int] = set()
    for index, ref in enumerate(refs):
        found = _REF.fullmatch(ref)
        path = found["path"] if found else ref
        first = int(found["first"]) if found else 0
        last = int(found["last"] or first) if found else 0
        if any(first <= line <= last for line in lines):
            by_line.add(index)
        if any(says(name, clause) for name in (path, PurePosixPath(path).name)):
            by_path.add(index)
    if by_path and by_line:
        return by_path & by_line or by_path
    return by_path or by_line or _by_number(clause, len(refs)) or _by_stem(clause, refs)


def _by_stem(clause: str, refs: Sequence[str]) -> set[int]:
    """The references whose file is named as people name it: *the watcher one*."""
    named = set()
    for index, ref in enumerate(refs):
        stem = PurePosixPath(ref.rsplit(":", 1)[0]).stem
        if len(stem) > 2 and re.search(rf"(?<![\w./-]){re.escape(stem)}{NAMED_ONE}", clause, re.IGNORECASE):
            named.add(index)
    return named


def _refused(clause: _Clause, refs: Sequence[str]) -> list[str]:
    """Files and kinds of files that a clause refuses as such, not one place in them."""
    bare = _is_bare_no(clause)
    foreign = bool(re.search(REFUSED, clause.text, re.IGNORECASE))
    if _LINES.search(_NAMES.sub(" ", clause.text)) or re.search(r":\d", clause.text):
        return []
    held = {path_of(refs[at]) for at in clause.named}
    others = {path_of(ref) for at, ref in enumerate(refs) if at not in clause.named}
    by_name = [path for path in held if says(path, clause.text) or says(PurePosixPath(path).name, clause.text)]
    files = sorted({*by_name, *((held - others) if foreign else ())})
    if not held and (foreign or bare):
        files = files_named(clause.text)
    return [*files, *((() if held else kinds_in(clause.text)) if bare else ())]


def _by_number(clause: str, count: int) -> set[int]:
    named: set[int] = set()
    for number, words in ORDINALS:
        for found in re.finditer(rf"\b(?:{words})\b", clause, re.IGNORECASE):
            if re.match(NOUN_AFTER, clause[found.end() :], re.IGNORECASE):
                named.add(count - 1 if number < 0 else number)
    named |= {int(number) - 1 for number in re.findall(NUMBERED, clause, re.IGNORECASE)}
    if re.search(r"\b(?:both|beide|les deux|ambos|ambas)\b", clause, re.IGNORECASE) and count == 2:
        named |= {0, 1}
    return {number for number in named if 0 <= number < count}


def _names_a_line(clause: str, code: BounceCode | None) -> bool:
    """Whether a bare name calls a place wrong: with a reason that says so, or where it is as exact as a finger."""
    return code in ("wrong", "wrong_place", "outdated") or not re.search(r"[\w-]\.\w", clause) or ":" in clause


def _searched(text: str, *, drop_values: bool) -> str:
    """The text without plain words that speak of the draft; identifiers, paths and quoted text stay."""

    def kept(found: re.Match[str]) -> str:
        word = found[0].lower()
        return " " if word in META or (drop_values and word in VALUE_WORDS) else found[0]

    return " ".join(_PLAIN.sub(kept, text).split())
