"""Places that feedback names: references of the draft, refused files, and places to look at instead. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from bot.decide.bounce.file_kinds import files_named, kinds_in, path_of, says, without_names
from bot.decide.bounce.words import AFTER_ORDINAL, NAMED_ONE, NUMBERED, ORDINALS, ORDINALS_UNSPACED, REFUSED
from bot.decide.grounding import web_link
from bot.decide.grounding.citation_lines import in_english, without_lines
from bot.decide.grounding.references import find_references
from bot.decide.grounding.written_paths import BARE_NAMES, is_pathlike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.bounce.clause import Clause
    from bot.decide.grounding.mention import Mention

_LINES = re.compile(r"(?::|\blines?\s+|\bL)(\d{1,7})(?:\s?[-\u2013]\s?(\d{1,7}))?", re.IGNORECASE)
_REF = re.compile(r"(?P<path>.+):(?P<first>\d+)(?:-(?P<last>\d+))?")
_PAGE = re.compile(r"(https?://[^/\s]+/\S+?)/(?:-/)?(?:blob|blame|raw)/")


@dataclass(frozen=True, slots=True)
class BouncedPlace:
    """File, or lines of it, for the next draft. `paths` are its possible paths, the likeliest first."""

    paths: tuple[str, ...]
    first: int = 0
    """First line; 0 where none is named."""
    last: int = 0

    def covers(self, path: str, start: int, end: int) -> bool:
        """Return whether it overlaps with these lines, or is the whole file."""
        same = any(path == own_path or path.endswith(f"/{own_path}") for own_path in self.paths)
        return same and (not self.first or (self.first <= end and self.last >= start))


def named_references(clause: str, refs: Sequence[str]) -> set[int]:
    """Return the indexes of the references that a clause names: by path, by line or by ordinal number."""
    spoken = in_english(clause)
    lines = [int(number) for number, _ in _LINES.findall(spoken)]
    by_path: set[int] = set()
    by_line: set[int] = set()
    for index, ref in enumerate(refs):
        match = _REF.fullmatch(ref)
        path = match["path"] if match else ref
        first = int(match["first"]) if match else 0
        last = int(match["last"] or first) if match else 0
        if any(first <= line <= last for line in lines):
            by_line.add(index)
        if any(says(name, clause) for name in (path, PurePosixPath(path).name)):
            by_path.add(index)
    if by_path and by_line:
        return by_path & by_line or by_path
    return by_path or by_line or _by_number(clause, len(refs)) or _by_stem(clause, refs)


def named_places(text: str) -> list[BouncedPlace]:
    """Return the files and lines that a text names, cited or not."""
    return [place for mention in find_references(text) if (place := _parse_place(mention))]


def is_elsewhere(places: Sequence[BouncedPlace], named: frozenset[int], refs: Sequence[str]) -> bool:
    """Return whether a clause names only lines outside the references that it seems to name."""
    lined = [place for place in places if place.first]
    cited = [match for at in named if (match := _REF.fullmatch(refs[at]))]
    return bool(lined) and not any(
        place.covers(reference["path"], int(reference["first"]), int(reference["last"] or reference["first"]))
        for place in lined
        for reference in cited
    )


def without_places(text: str) -> str:
    """Return the text without paths and lines, which are not search words."""
    for mention in find_references(text):
        if _parse_place(mention):
            text = re.sub(rf"{re.escape(mention.text)}(?:\s+\d+(?:-\d+)?\b)?", " ", text)
    return without_lines(text)


def refused_files(clause: Clause, refs: Sequence[str]) -> list[str]:
    """Return files and kinds of files that a clause refuses as a whole, not one place in them."""
    bare, foreign = clause.refuses, bool(re.search(REFUSED, clause.text, re.IGNORECASE))
    spoken = in_english(clause.text)
    if _LINES.search(without_names(spoken)) or re.search(r":\d", spoken):
        return []
    named_paths = {path_of(refs[at]) for at in clause.named}
    others = {path_of(ref) for at, ref in enumerate(refs) if at not in clause.named}
    by_name = [path for path in named_paths if says(path, clause.text) or says(PurePosixPath(path).name, clause.text)]
    files = sorted({*by_name, *((named_paths - others) if foreign else ())})
    if not named_paths:
        files = files_named(clause.text)
    return [*files, *((() if named_paths else kinds_in(clause.text)) if bare else ())]


def _parse_place(mention: Mention) -> BouncedPlace | None:
    """Return the place of a mention; `None` where it is not a file, such as a name in backticks."""
    if mention.kind == "url":
        return _on_a_page(mention)
    if mention.kind != "file" or mention.paths[0].endswith("/"):
        return None
    if mention.first is None and not is_pathlike(mention.paths[0]) and mention.paths[0] not in BARE_NAMES:
        return None
    return BouncedPlace(mention.paths, mention.first or 0, mention.last or mention.first or 0)


def _on_a_page(mention: Mention) -> BouncedPlace | None:
    page = _PAGE.match(mention.text)
    place = web_link.parse_link(page[1], mention.text) if page else None
    return (
        BouncedPlace(place.paths, place.first or 0, place.last or place.first or 0) if place and place.paths else None
    )


def _by_stem(clause: str, refs: Sequence[str]) -> set[int]:
    """Return the references whose file is named without its extension: *the watcher one*."""
    named = set()
    for index, ref in enumerate(refs):
        stem = PurePosixPath(ref.rsplit(":", 1)[0]).stem
        if len(stem) > 2 and re.search(rf"(?<![\w./-]){re.escape(stem)}{NAMED_ONE}", clause, re.IGNORECASE):
            named.add(index)
    return named


def _by_number(clause: str, count: int) -> set[int]:
    named: set[int] = set()
    for number, words in ORDINALS:
        for match in re.finditer(rf"\b(?:{words})\b", clause, re.IGNORECASE):
            if re.match(AFTER_ORDINAL, clause[match.end() :], re.IGNORECASE):
                named.add(count - 1 if number < 0 else number)
    for number, words in ORDINALS_UNSPACED:
        if re.search(words, clause):
            named.add(count - 1 if number < 0 else number)
    named |= {int(number) - 1 for number in re.findall(NUMBERED, clause, re.IGNORECASE)}
    if re.search(r"\b(?:both|beide|les deux|ambos|ambas|keduanya)\b|両方|هر دو", clause, re.IGNORECASE) and count == 2:
        named |= {0, 1}
    return {number for number in named if 0 <= number < count}
