"""Correction: the operator's feedback on a draft, as input of the next search. Pure.

It has the references that were called wrong and those that stay, the places to look at, the words to search for, and
the request for a value or a definition. Words about the asker and the draft, function words, paths and line numbers are
no search terms.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bot.decide.bounce.clauses import read_clauses, stance, without_asker
from bot.decide.bounce.contrast import find_contrasted, find_irrelevant
from bot.decide.bounce.file_kinds import (
    files_named,
    is_among,
    kinds_at_head,
    kinds_in,
    lies_in,
    path_of,
    without_kinds,
    without_names,
)
from bot.decide.bounce.places import (
    BouncedPlace,
    is_elsewhere,
    named_places,
    refused_files,
    without_places,
)
from bot.decide.bounce.terms import has_terms, search_words
from bot.decide.bounce.words import (
    ALL,
    ANSWERS,
    DEFINITION,
    KEEP,
    KEEPING,
    NUMBER,
    ONLY,
    OTHERS,
    REFUSED,
    STYLE,
    VALUE,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.bounce.clause import Clause
    from bot.models.reasons import BounceCode

MAX_CHARS = 3_000
"""Maximum of characters of the feedback that are read."""

_KEEPS_ALL = ("incomplete", "tone")
"""Reasons that call no place wrong."""
_MOST_MEANT = 5
_ACCUSES = ("wrong", "wrong_place", "outdated")
"""Reasons that call the places wrong."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Correction of a draft. Indexes count the references of the bounced draft from 0."""

    words: str = ""
    """Words to search for."""
    request: str = ""
    """Request in the operator's words, without what was said about places."""
    dropped: frozenset[int] = frozenset()
    """References that were called wrong; they are not cited again."""
    kept_indexes: frozenset[int] = frozenset()
    """References that stay in the next draft."""
    places: tuple[BouncedPlace, ...] = ()
    """Named places to look at, in order."""
    asks_value: bool = False
    """True if a value is requested: a default, a limit, a constant."""
    is_guessed: bool = False
    """True if the question itself asks for the value, without a bounce."""
    asks_whole: bool = False
    """True if a definition of several lines is requested: an enum, a dict, a class."""
    asks_number: bool = False
    """True if the value must be a number."""
    refused: tuple[str, ...] = ()
    """Refused files, kinds of files, and words of paths; no line of these files is cited again."""
    wanted: tuple[str, ...] = ()
    """Requested kinds of files: *the config file*."""
    demotes: bool = False
    """True if references that were neither named nor kept are demoted."""
    is_alone: bool = False
    """True if the kept references are cited alone: *keep only the first*."""

    @property
    def shows(self) -> bool:
        """Return whether a definition is searched for."""
        return self.asks_value or self.asks_whole

    def keep_all(self, count: int) -> Correction:
        """Return a correction without search words that keeps all of `count` references that were not called wrong."""
        kept_indexes = frozenset(range(count)) - self.dropped
        return replace(self, words="", kept_indexes=kept_indexes, demotes=False)

    @property
    def is_about_content(self) -> bool:
        """Return whether it is about the content to cite, unlike *Tone* or *shorter*."""
        has_content = self.words or self.dropped or self.places or self.refused or self.wanted
        return bool(has_content or self.shows or self.demotes)


def read_bounce(feedback: str, refs: Sequence[str], code: BounceCode | None = None, asker: str = "") -> Correction:
    """Read the feedback on a draft with the references `refs` (`path:12-20`), in order."""
    text = unicodedata.normalize("NFKC", feedback[:MAX_CHARS])[:MAX_CHARS]
    answers = text.startswith(ANSWERS)
    clauses = read_clauses(without_asker(text.removeprefix(ANSWERS), asker), refs)
    reading = _Reading(refs, code, accuses=not answers and code not in _KEEPS_ALL)
    for at, clause in enumerate(clauses):
        reading.take(clause, *stance(clauses, at))
    return reading.build_correction(answers=answers)


@dataclass
class _Reading:
    """Collector of the statements in a bounce's clauses."""

    refs: Sequence[str]
    code: BounceCode | None
    accuses: bool
    """True if a place that is only named is called wrong."""
    _dropped: set[int] = field(default_factory=set)
    _kept_indexes: set[int] = field(default_factory=set)
    _places: list[BouncedPlace] = field(default_factory=list)
    _searched: list[str] = field(default_factory=list)
    _refused: list[str] = field(default_factory=list)
    _avoided: list[str] = field(default_factory=list)
    _wanted: list[str] = field(default_factory=list)
    _alone: bool = False
    _turned: bool = False
    """True if a thing was called irrelevant; references without its name stay."""

    def take(self, clause: Clause, negative: bool, positive: bool) -> None:
        """Read one clause: its statements on places, then the words to search for, unless it is only a verdict."""
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
        """Return whether it calls all places wrong, or all but the named ones."""
        everything = set(range(len(self.refs)))
        if not clause.named and re.search(ALL, clause.text, re.IGNORECASE):
            self._dropped |= everything
        elif re.search(OTHERS, clause.text, re.IGNORECASE):
            self._dropped |= everything - self._kept_indexes - clause.named
        else:
            return False
        return True

    def _names_a_line(self, clause: str) -> bool:
        """Return whether a bare name calls a place wrong: by the bounce's reason, or because it is an exact place."""
        return self.code in _ACCUSES or not re.search(r"[\w-]\.\w", clause) or ":" in clause

    def _keep(self, clause: Clause) -> None:
        self._kept_indexes |= clause.named
        self._places += named_places(clause.text)
        if re.search(ONLY, clause.text, re.IGNORECASE):
            self._dropped |= set(range(len(self.refs))) - clause.named
            self._alone |= bool(re.search(KEEPING, clause.text, re.IGNORECASE))

    def _kinds_refused(self, clause: Clause) -> tuple[str, ...]:
        """Return the refused kinds of files, by the first words of the clause or as its subject."""
        if clause.refuses:
            return kinds_in(clause.text)
        is_subject = clause.is_negative and not clause.is_positive and not files_named(clause.text)
        return kinds_at_head(clause.text) if is_subject else ()

    def _turns_away(self, clause: Clause) -> bool:
        """Return whether a clause only excludes something; a thing after *not the* is refused by name."""
        if not clause.is_negative:
            return False
        if not files_named(clause.text) and (irrelevant := find_irrelevant(clause.text)):
            self._avoided += irrelevant
            self._turned = True
            return True
        if clause.refuses:
            self._avoided += find_contrasted(clause.text)
            return True
        return bool(re.search(REFUSED, clause.text, re.IGNORECASE)) or bool(refused_files(clause, self.refs))

    def _search(self, clause: Clause) -> None:
        asked_for = () if clause.named else kinds_in(clause.text)
        self._wanted += asked_for
        if asked_for and re.search(ONLY, clause.text, re.IGNORECASE):
            self._dropped |= {at for at, ref in enumerate(self.refs) if not is_among(path_of(ref), asked_for)}
        self._searched.append(without_kinds(clause.text, asked_for))

    def build_correction(self, *, answers: bool) -> Correction:
        """Build the correction from all clauses."""
        text = " \n".join(map(without_places, self._searched))
        request = without_names(text)
        value, whole, number, is_about_style = (
            bool(re.search(pattern, request, re.IGNORECASE)) for pattern in (VALUE, DEFINITION, NUMBER, STYLE)
        )
        words = search_words(text, drop_values=value or whole)
        words = words if has_terms(words) else ""
        stays = (
            bool(self._dropped or self._refused or self._turned)
            or value
            or whole
            or is_about_style
            or self.code in _KEEPS_ALL
        )
        stays |= bool(self._places) and not words and self.code not in _ACCUSES
        self._tell_apart(words.lower().split())
        kept_indexes = set(range(len(self.refs))) if stays else self._kept_indexes
        return Correction(
            words=words,
            request=request,
            dropped=frozenset(self._dropped),
            kept_indexes=frozenset(kept_indexes - self._dropped),
            places=tuple(dict.fromkeys(self._places)),
            asks_value=value,
            asks_whole=whole,
            asks_number=number,
            refused=tuple(dict.fromkeys(self._refused)),
            wanted=tuple(kind for kind in dict.fromkeys(self._wanted) if kind not in self._refused),
            demotes=not stays and not answers,
            is_alone=self._alone,
        )

    def _tell_apart(self, meant: Sequence[str]) -> None:
        """Refuse files named by the excluded thing and not by the wanted one: *the server and not the client*."""
        avoided = [word for word in dict.fromkeys(self._avoided) if word not in meant]
        if not avoided:
            return
        names = [word for word in meant if word.isalpha()][:_MOST_MEANT]
        refused = [f"{word} but not {', '.join(names)}" if names else word for word in avoided]
        self._refused += refused
        self._dropped |= {at for at, ref in enumerate(self.refs) if is_among(path_of(ref), refused)}
        self._kept_indexes |= {at for at, ref in enumerate(self.refs) if lies_in(path_of(ref), meant)}
