"""Correction: what a bounce asks of the next search, read from the operator's own words.

Pure. It tells which references were named as wrong and which stay, where to look, what is to be searched for, and
whether a value or a definition is to be shown. Words about the asker and about the draft, function words, paths and
numbers of lines are no search terms.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bot.decide.bounce.clauses import read_clauses, stance, without_asker
from bot.decide.bounce.contrast import contrasted, turned_away
from bot.decide.bounce.file_kinds import files_named, is_among, kinds_at_head, kinds_in, lies_in, path_of, without_kinds
from bot.decide.bounce.places import (
    BouncedPlace,
    is_elsewhere,
    named_places,
    refused_files,
    without_names,
    without_places,
)
from bot.decide.bounce.terms import has_terms, search_words
from bot.decide.bounce.words import (
    ALL,
    ANSWERS,
    DEFINITION,
    KEEP,
    KEEPING,
    MANNER,
    NUMBER,
    ONLY,
    OTHERS,
    REFUSED,
    VALUE,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.bounce.clauses import Clause
    from bot.models.reasons import BounceCode

MAX_CHARS = 3_000
"""What is read of the words of a bounce, from their beginning."""

_KEEPS_ALL = ("incomplete", "tone")
"""Reasons that call no place wrong."""
_MOST_MEANT = 5
_ACCUSES = ("wrong", "wrong_place", "outdated")
"""Reasons that call the places wrong."""


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
    places: tuple[BouncedPlace, ...] = ()
    """Where to look, as it was named: these come first."""
    value: bool = False
    """True if a value is to be shown: a default, a limit, a constant."""
    guessed: bool = False
    """True if it is the question that asks for the value, and no bounce."""
    whole: bool = False
    """True if a definition of several lines is to be shown: an enum, a dict, a class."""
    number: bool = False
    """True if the value is to be a number."""
    refused: tuple[str, ...] = ()
    """Files that are refused whole, kinds of files, and words: no line of what bears them is cited again."""
    wanted: tuple[str, ...] = ()
    """Kinds of files that are asked for: *the config file*."""
    demotes: bool = False
    """True if the references that were neither named nor kept move down."""
    alone: bool = False
    """True if what stays is to stand alone: *keep only the first*."""

    @property
    def shows(self) -> bool:
        """Return whether a definition is looked for."""
        return self.value or self.whole

    def keeping_all(self, count: int) -> Correction:
        """The same without words to search for; of `count` references all stay that were not called wrong."""
        kept = frozenset(range(count)) - self.dropped
        return replace(self, words="", kept=kept, demotes=False)

    @property
    def is_about_content(self) -> bool:
        """Return whether it says anything of what to cite; *Tone* or *shorter* does not."""
        said = self.words or self.dropped or self.places or self.refused or self.wanted
        return bool(said or self.shows or self.demotes)


def read_bounce(feedback: str, refs: Sequence[str], code: BounceCode | None = None, asker: str = "") -> Correction:
    """Read the words of a bounce of a draft that rests on `refs` (`path:12-20`), in the draft's order."""
    text = unicodedata.normalize("NFKC", feedback[:MAX_CHARS])[:MAX_CHARS]
    answers = text.startswith(ANSWERS)
    clauses = read_clauses(without_asker(text.removeprefix(ANSWERS), asker), refs)
    reading = _Reading(refs, code, accuses=not answers and code not in _KEEPS_ALL)
    for at, clause in enumerate(clauses):
        reading.take(clause, *stance(clauses, at))
    return reading.correction(answers=answers)


@dataclass
class _Reading:
    """Gathers what the clauses of one bounce say."""

    refs: Sequence[str]
    code: BounceCode | None
    accuses: bool
    """True if a place that is only named is called wrong."""
    _dropped: set[int] = field(default_factory=set)
    _kept: set[int] = field(default_factory=set)
    _places: list[BouncedPlace] = field(default_factory=list)
    _searched: list[str] = field(default_factory=list)
    _refused: list[str] = field(default_factory=list)
    _avoided: list[str] = field(default_factory=list)
    _wanted: list[str] = field(default_factory=list)
    _alone: bool = False
    _turned: bool = False
    """True if a thing was called irrelevant, which leaves the references that do not bear its name."""

    def take(self, clause: Clause, negative: bool, positive: bool) -> None:
        """Read one clause: first what it says of places, then, if it is no verdict on them, what to search for."""
        if negative:
            self._refused += refused_files(clause, self.refs)
            if self._drops_many(clause):
                return
        places = [] if negative or clause.refuses else named_places(clause.text)
        elsewhere = is_elsewhere(places, clause.named, self.refs)
        if clause.named and not elsewhere:
            if negative or (self.accuses and not positive and self._names_a_line(clause.text)):
                self._dropped |= clause.named
                return
            if positive and re.search(KEEP, clause.text, re.IGNORECASE):
                self._keep(clause)
                return
        elif negative and (kinds := self._kinds_refused(clause)):
            self._refused += kinds
            self._dropped |= {at for at, ref in enumerate(self.refs) if is_among(path_of(ref), kinds)}
            return
        elif negative and self._turns_away(clause):
            return
        self._places += places
        self._search(clause)

    def _drops_many(self, clause: Clause) -> bool:
        """Return whether it calls all places wrong, or all but those that were named."""
        everything = set(range(len(self.refs)))
        if not clause.named and re.search(ALL, clause.text, re.IGNORECASE):
            self._dropped |= everything
        elif re.search(OTHERS, clause.text, re.IGNORECASE):
            self._dropped |= everything - self._kept - clause.named
        else:
            return False
        return True

    def _names_a_line(self, clause: str) -> bool:
        """Return whether a bare name calls a place wrong: with a reason that says so, or where it is as exact as a
        finger."""
        return self.code in _ACCUSES or not re.search(r"[\w-]\.\w", clause) or ":" in clause

    def _keep(self, clause: Clause) -> None:
        self._kept |= clause.named
        self._places += named_places(clause.text)
        if re.search(ONLY, clause.text, re.IGNORECASE):
            self._dropped |= set(range(len(self.refs))) - clause.named
            self._alone |= bool(re.search(KEEPING, clause.text, re.IGNORECASE))

    def _kinds_refused(self, clause: Clause) -> tuple[str, ...]:
        """The kinds of files that it refuses, by its first words or as what it speaks of."""
        if clause.refuses:
            return kinds_in(clause.text)
        is_subject = clause.negative and not clause.positive and not files_named(clause.text)
        return kinds_at_head(clause.text) if is_subject else ()

    def _turns_away(self, clause: Clause) -> bool:
        """Return whether a clause only says what is not asked about; a thing after *not the* is refused by its name."""
        if not clause.negative:
            return False
        if not files_named(clause.text) and (away := turned_away(clause.text)):
            self._avoided += away
            self._turned = True
            return True
        if clause.refuses:
            self._avoided += contrasted(clause.text)
            return True
        return bool(re.search(REFUSED, clause.text, re.IGNORECASE)) or bool(refused_files(clause, self.refs))

    def _search(self, clause: Clause) -> None:
        asked_for = () if clause.named else kinds_in(clause.text)
        self._wanted += asked_for
        if asked_for and re.search(ONLY, clause.text, re.IGNORECASE):
            self._dropped |= {at for at, ref in enumerate(self.refs) if not is_among(path_of(ref), asked_for)}
        self._searched.append(without_kinds(clause.text, asked_for))

    def correction(self, *, answers: bool) -> Correction:
        """Everything together."""
        text = " \n".join(map(without_places, self._searched))
        asked = without_names(text)
        value, whole, number, manner = (
            bool(re.search(pattern, asked, re.IGNORECASE)) for pattern in (VALUE, DEFINITION, NUMBER, MANNER)
        )
        words = search_words(text, drop_values=value or whole)
        words = words if has_terms(words) else ""
        stays = (
            bool(self._dropped or self._refused or self._turned) or value or whole or manner or self.code in _KEEPS_ALL
        )
        stays |= bool(self._places) and not words and self.code not in _ACCUSES
        self._tell_apart(words.lower().split())
        kept = set(range(len(self.refs))) if stays else self._kept
        return Correction(
            words=words,
            asked=asked,
            dropped=frozenset(self._dropped),
            kept=frozenset(kept - self._dropped),
            places=tuple(dict.fromkeys(self._places)),
            value=value,
            whole=whole,
            number=number,
            refused=tuple(dict.fromkeys(self._refused)),
            wanted=tuple(kind for kind in dict.fromkeys(self._wanted) if kind not in self._refused),
            demotes=not stays and not answers,
            alone=self._alone,
        )

    def _tell_apart(self, meant: Sequence[str]) -> None:
        """Refuse what was set against the thing that is meant: *the server and not the client*."""
        avoided = [word for word in dict.fromkeys(self._avoided) if word not in meant]
        if not avoided:
            return
        names = [word for word in meant if word.isalpha()][:_MOST_MEANT]
        refused = [f"{word} but not {', '.join(names)}" if names else word for word in avoided]
        self._refused += refused
        self._dropped |= {at for at, ref in enumerate(self.refs) if is_among(path_of(ref), refused)}
        self._kept |= {at for at, ref in enumerate(self.refs) if lies_in(path_of(ref), meant)}
