"""Bounced drafts, for the keyword engine: their references, and the refused ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.bounce.file_kinds import is_among
from bot.decide.values.value_ranking import identifiers
from bot.models.findings import TAKEN_OUT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.bounce.correction import Correction
    from bot.decide.bounce.places import BouncedPlace
    from bot.models.findings import EvidenceRef, InvestigatorReturn

_REF = re.compile(r"(?P<path>.+):(?P<start>\d+)(?:-(?P<end>\d+))?")
_MOST_ALIKE = 2
"""Maximum of files that are opened where several have the given name."""
NOTHING_FOUND = "Keyword search found nothing that answers the question."
"""Summary of findings without an answer."""
_REMOVED_LINE = re.compile(rf"^[^\S\n]*+(?P<ref>\S.*): {TAKEN_OUT}", re.MULTILINE)
_MOVED_DOWN = "moved down at a bounce"
_REFUSED = "refused at a bounce"
_REFUSED_LINE = re.compile(rf"^[^\S\n]*+(?P<ref>\S.*): {_REFUSED}", re.MULTILINE)
_DEMOTED_LINE = re.compile(rf"^[^\S\n]*+(?P<ref>\S.*): {_MOVED_DOWN}", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class BouncedLines:
    """Lines `start` to `end` of a file."""

    path: str
    start: int
    end: int

    @classmethod
    def parse(cls, ref: str) -> BouncedLines | None:
        """Parse `path:12-20`; return `None` for a reference in another form."""
        match = _REF.fullmatch(ref)
        return cls(match["path"], int(match["start"]), int(match["end"] or match["start"])) if match else None

    def meets(self, path: str, start: int, end: int) -> bool:
        """Return whether the lines overlap with a range of a file."""
        return self.path == path and self.start <= end and self.end >= start


@dataclass(frozen=True, slots=True)
class Bounced:
    """Previous draft, with the operator's correction."""

    correction: Correction
    refs: tuple[EvidenceRef, ...] = ()
    removed: tuple[str, ...] = ()
    """References that were removed, at this bounce and before."""
    demoted: tuple[str, ...] = ()
    """References that were demoted, at this bounce and before."""

    refused: tuple[str, ...] = ()
    """Files and kinds of files that were refused, at this bounce and before."""

    @classmethod
    def from_correction(
        cls, previous: InvestigatorReturn | None, correction: Correction, denied: tuple[str, ...] = ()
    ) -> Bounced:
        """Build it from the previous findings and their correction.

        References that were `denied` in the thread are removed.
        """
        if previous is None:
            return cls(correction, removed=denied)
        named = correction.places
        before = [ref for ref in _read_references(previous, _REMOVED_LINE) if not _is_named(ref, named)]
        now = [ref.ref for at, ref in enumerate(previous.evidence_refs) if at in correction.dropped]
        removed = dict.fromkeys([*before, *now, *(ref for ref in denied if not _is_named(ref, named))])
        down = _read_references(previous, _DEMOTED_LINE)
        down += [ref.ref for ref in previous.evidence_refs] if correction.demotes else []
        stays = {previous.evidence_refs[at].ref for at in correction.kept_indexes}
        demoted = tuple(ref for ref in dict.fromkeys(down) if ref not in removed and ref not in stays)
        never = tuple(
            name
            for name in dict.fromkeys([*_read_references(previous, _REFUSED_LINE), *correction.refused])
            if name not in correction.wanted
            and not any(is_among(path, [name]) for place in named for path in place.paths)
        )
        was_answer = previous.summary_for_orchestrator != NOTHING_FOUND
        return cls(correction, previous.evidence_refs, tuple(removed), demoted, never, was_answer)

    @property
    def is_fresh(self) -> bool:
        """Return whether nothing was cited in this thread before."""
        return not (self.refs or self.removed or self.demoted)

    @property
    def removed_spans(self) -> list[BouncedLines]:
        """Return the lines of the removed references."""
        return [span for ref in self.removed if (span := BouncedLines.parse(ref))]

    def refuses(self, path: str) -> bool:
        """Return whether no line of a file may be cited again."""
        return is_among(path, self.refused)

    was_answer: bool = True
    """True if there was no previous draft, or the previous draft had an answer."""

    @property
    def dropped(self) -> tuple[str, ...]:
        """Return the notes on removed, demoted and refused references, for the card and for the next round."""
        return (
            *(f"{ref}: {TAKEN_OUT}" for ref in self.removed),
            *(f"{ref}: {_MOVED_DOWN}" for ref in self.demoted),
            *(f"{name}: {_REFUSED}" for name in self.refused),
        )

    @property
    def kept_references(self) -> list[EvidenceRef]:
        """Return the references that stay."""
        return [
            ref
            for at, ref in enumerate(self.refs)
            if at in self.correction.kept_indexes and not self.refuses(ref.ref.rsplit(":", 1)[0])
        ]

    @property
    def names(self) -> frozenset[str]:
        """Return the names in the cited lines."""
        return identifiers(ref.quote or "" for ref in self.refs)


def _is_named(ref: str, places: Sequence[BouncedPlace]) -> bool:
    """Return whether a reference is in a place that was named as the right one."""
    span = BouncedLines.parse(ref)
    return bool(span) and any(place.covers(span.path, span.start, span.end) for place in places if span)


def _read_references(previous: InvestigatorReturn, form: re.Pattern[str]) -> list[str]:
    """Return the references of the previous findings' notes that have one of the forms above."""
    return [match["ref"] for text in previous.alternatives_dropped if (match := form.fullmatch(text))]


def find_matching_files(place: BouncedPlace, paths: Sequence[str]) -> list[str]:
    """Return the files that a place names: by full path, else by the end of the path, else the files of a folder."""
    for name in place.paths:
        whole = [path for path in paths if path == name]
        ends = whole or [path for path in paths if path.endswith(f"/{name}")]
        if matches := ends or [path for path in paths if path.startswith(f"{name}/")]:
            return matches[:_MOST_ALIKE]
    return []
