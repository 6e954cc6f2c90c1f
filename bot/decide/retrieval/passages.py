"""Passages: pieces of code or text that are read as a unit, with the names that enclose them.

Pure: lines in, passages out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST = 40
"""Number of lines after which a passage is cut at the next empty line, at the latest after half as many again."""

_SMALL = 3
"""Maximum number of lines of a small passage, which is joined with its neighbours."""
_JOINED = 20
"""Maximum number of lines of joined passages."""
_MAX_LINE_LENGTH = 300
"""Number of characters read of a line: a generated line of a megabyte must not take seconds."""

_DOCUMENTS = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc")
_DEFINITION = re.compile(
    r"^(?P<indent>[ \t]*)(?:@?(?:export|default|public|private|protected|internal|static|final|abstract|async"
    r"|pub(?:\([a-z]+\))?|inline|virtual|override|unsafe|const|extern)\s+)*"
    r"(?:def|class|function|func|fun|fn|struct|interface|trait|enum|impl|module|type|object|sub|macro_rules!)\s+"
    r"(?:\([^)]*\)\s*)?(?P<name>[A-Za-z_$][\w$.:]*)"
)
_ASSIGNED = re.compile(
    r"^(?P<indent>[ \t]*)(?:(?:export|const|let|var|static|final|val)\s+)*"
    r"[\"']?(?P<name>[A-Za-z_$][\w$.-]*)[\"']?\s*(?::[^=]{0,60})?(?:=(?!=)|:(?:\s|$))"
)
_HEADING = re.compile(r"^#{1,6}\s++(?P<name>\S.*?)(?:(?<!\s)\s+)?(?:(?<!#)#+)?$")
_SECTION = re.compile(r"^\[{1,2}(?P<name>[^\]]+)\]{1,2}\s*$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.])\1{2,}\s*$")
_LEADING = re.compile(r"^\s*(?:@|#|//|/\*|\*)")
_IMPORT = re.compile(r"^\s*(?:import|from|require|include|use|using|#include)\b")
_REMARK = re.compile(r"^\s*(?:#|//|/\*|\*\s|\"\"\"|'''|--\s|\.\.\s)")


@dataclass(frozen=True, slots=True)
class Passage:
    """Passage of lines `start` to `end`, counted from 1 and inclusive."""

    start: int
    end: int
    names: tuple[str, ...] = ()
    """Enclosing classes, functions or headings, outermost first."""


Extent = tuple[int, int, int, str]
"""First and last line of a definition, its nesting depth, and its name."""


def split_passages(path: str, lines: Sequence[str], extents: Sequence[Extent] | None = None) -> list[Passage]:
    """Split a file into passages, in order and without gaps; `extents` are its definitions, if a parser provided
    them."""
    clipped_lines = [line[:_MAX_LINE_LENGTH] for line in lines]
    if extents is not None:
        openings = _list_openings(clipped_lines, extents)
    else:
        openings = list(_headings(path, clipped_lines) if is_document(path) else _definitions(clipped_lines))
    parts: list[Passage] = []
    scopes: list[tuple[int, str]] = []
    start = 1
    names: tuple[str, ...] = ()
    for line, depth, name in openings:
        if line > start:
            parts += _cut(lines, start, line - 1, names)
        scopes = [scope for scope in scopes if scope[0] < depth] + ([(depth, name)] if name else [])
        start, names = line, tuple(title for _, title in scopes)
    parts += _cut(lines, start, len(lines), names)
    return _join_short(parts, lines) if extents is not None else parts


def is_document(path: str) -> bool:
    """Return whether a file is a text document with headings."""
    return path.lower().endswith(_DOCUMENTS)


def kind(line: str) -> str:
    """Return the kind of a line, as far as it can be recognised: `definition`, `assignment`, `import`, `remark` or
    `text`."""
    line = line[:_MAX_LINE_LENGTH]
    if _DEFINITION.match(line) or _HEADING.match(line):
        return "definition"
    if _IMPORT.match(line):
        return "import"
    if _ASSIGNED.match(line):
        return "assignment"
    return "remark" if _REMARK.match(line) else "text"


def defined_name(line: str) -> str:
    """Return the name that a line defines or assigns; empty for any other line."""
    line = line[:_MAX_LINE_LENGTH]
    match = _DEFINITION.match(line) or _HEADING.match(line) or _ASSIGNED.match(line)
    return match["name"].rstrip(":") if match else ""


def _list_openings(lines: Sequence[str], extents: Sequence[Extent]) -> list[tuple[int, int, str]]:
    """Return first line, depth and name of each definition, and an entry for the enclosing one where it resumes."""
    openings: dict[int, tuple[int, str]] = {}
    around: list[Extent] = []
    last_claimed = 0
    for first, last, depth, name in sorted(extents, key=lambda extent: (extent[0], extent[2])):
        last_claimed = _close_definitions(openings, around, first, last_claimed)
        at = first
        if at - 2 > last_claimed and not lines[at - 2].strip() and lines[at - 3].rstrip().endswith("*/"):
            at -= 1  # an empty line may separate a comment from its subject
        while at - 1 > last_claimed and _LEADING.match(lines[at - 2]) and at - 1 not in openings:
            at -= 1
        openings[max(at, 1)] = depth, name
        last_claimed = first
        around.append((first, last, depth, name))
    _close_definitions(openings, around, len(lines) + 1, last_claimed)
    return [(line, depth, name) for line, (depth, name) in sorted(openings.items()) if line <= len(lines)]


def _close_definitions(openings: dict[int, tuple[int, str]], around: list[Extent], line: int, last_claimed: int) -> int:
    """Close the definitions that end before a line; return the last line that belongs to them."""
    while around and around[-1][1] < line:
        _, last, depth, _ = around.pop()
        outer = around[-1] if around else None
        openings.setdefault(last + 1, (outer[2], outer[3]) if outer else (depth, ""))
        last_claimed = max(last_claimed, last)
    return last_claimed


def _join_short(parts: Sequence[Passage], lines: Sequence[str]) -> list[Passage]:
    """Join neighbouring passages of a line or two, such as fields, getters and blanks."""
    joined: list[Passage] = []
    for part in parts:
        before = joined[-1] if joined else None
        sizes = [_size(item, lines) for item in (before, part) if item]
        if before is None or (min(sizes) > 0 and max(sizes) > _SMALL) or part.end - before.start >= _JOINED:
            joined.append(part)
            continue
        names = part.names if sizes[1] else before.names
        if all(sizes):
            names = tuple(item for item, other in zip(before.names, part.names, strict=False) if item == other)
        joined[-1] = Passage(before.start, part.end, names)
    return joined


def _size(part: Passage, lines: Sequence[str]) -> int:
    """Return the number of lines of a passage that are not blank."""
    return sum(bool(line.strip()) for line in lines[part.start - 1 : part.end])


def _definitions(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield first line, depth and name of each definition; decorators and comments directly above belong to it."""
    last_claimed = 0
    for number, line in enumerate(lines, start=1):
        match = _DEFINITION.match(line) or _SECTION.match(line)
        if not match:
            continue
        first = number
        while first - 1 > last_claimed and _LEADING.match(lines[first - 2]):
            first -= 1
        last_claimed = number
        indent = match.groupdict().get("indent") or ""
        yield first, len(indent.expandtabs(4)), match["name"].rstrip(":")


def _headings(path: str, lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield first line, depth and text of each heading, in Markdown or underlined."""
    depths: dict[str, int] = {}  # of underlines, in the order of their first use
    fenced = False
    hashes = not path.lower().endswith((".rst", ".txt"))
    for number, line in enumerate(lines, start=1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced:
            continue
        if hashes and (match := _HEADING.match(line)):
            yield number, len(line) - len(line.lstrip("#")), match["name"]
        elif number < len(lines) and line.strip() and not line[0].isspace() and len(line) < 120:
            below = _UNDERLINE.match(lines[number])
            if below and not _UNDERLINE.match(line) and len(lines[number].strip()) >= min(len(line.strip()), 4):
                yield number, depths.setdefault(below[1], len(depths) + 1), line.strip()


def _cut(lines: Sequence[str], start: int, end: int, names: tuple[str, ...]) -> Iterator[Passage]:
    """Yield a range of lines in pieces of about 40, cut at empty lines if possible."""
    while end - start + 1 > LONGEST:
        at = start + LONGEST // 2
        last = min(end, start + LONGEST + LONGEST // 2)
        breaks = [n for n in range(at, last) if not lines[n - 1].strip()]
        stop = max((n for n in breaks if n <= start + LONGEST), default=min(breaks, default=last))
        yield Passage(start, stop, names)
        start = stop + 1
    if start <= end:
        yield Passage(start, end, names)
