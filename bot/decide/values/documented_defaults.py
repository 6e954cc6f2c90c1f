"""Documented defaults: in a sentence, a table row, below a heading or the name of a setting. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

STATED = re.compile(
    r"\bdefaults?\b(?:\s+values?)?\s*(?:is|are|to|of|:|=|\u2013|-)?\s*(?:set to\s+)?[`*_\"'(]*"
    r"(?P<value>-?\d[\w.,%]*|true|false|none|null|on|off|enabled|disabled|`[^`]+`)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"`[^`]+`.*default|\bdefault.*`[^`]*[A-Za-z]{3}[^`]*`|^\s*\[", re.IGNORECASE)
"""Line of a document that names the setting of its default."""
_OWN_LINE = re.compile(
    r"^[\s>|]*(?:[-*+]\s+)?(?:\*\*|__?|`)?\[?default(?:s|\s+value)?(?:\*\*|__?|`)?\s*[:=]\s*(?:\*\*)?\s*(?P<value>\S.*?)\s*\]?\s*$",
    re.IGNORECASE,
)
"""Line with only a default: `- Default: 24h`, `[default: 8080]`."""
_ITEM = re.compile(r"\s*[-*+]\s+(?:\*\*|`)?default(?:\*\*|`)?\s*[:=]\s*(?![\d`*])(?:\S+\s+){3}\S")
"""List item named `default` with its description: `- default: shows links as they are`."""
_SPAN = re.compile(r"`+([^`]+)`+")
_NAME = r"(?:--?)?[A-Za-z_][\w.-]*(?:\[[\w.]*\])?"
_HEAD = re.compile(rf"^(?:#+|=+)\s+(?:`(?P<span>[^`]+)`|(?P<plain>{_NAME}))\s*(?:\([^)]*\)|\{{[^}}]*\}})?\s*$")
"""Heading that is the name of a setting."""
_NAMING = re.compile(
    rf"^\s*(?:[-*+]\s+)?(?:\*\*)?(?:`(?P<span>{_NAME})(?:[ =][^`]*)?`(?:\*\*)?\s*(?:$|[:(,\u2013\u2014-])"
    r"|(?:-\w,\s+)?(?P<flag>--[A-Za-z][\w-]+)(?:[ =]\S*)?\s*$)"
)
"""Line that begins with the name of a setting: a code span, an option of a help text."""
_CELL = re.compile(r"(?<!\\)\|")
_RST_TABLE_BORDER = re.compile(r"^={3,}(?: +={3,})+\s*$")
_MARKUP = re.compile(r"[`*\[\]]+|(?<!\w)_+|_+(?!\w)|<[^<>]*>|\([^()]*\)$")
_NEAR = 8
"""Maximum number of lines between a heading and a default that it names."""
_BLOCK = 40
"""Maximum number of lines between a code name and a line with only a default."""
_SHOWN_WHOLE = 10
"""Maximum number of lines from a name to its default that are shown together."""


@dataclass(frozen=True, slots=True)
class DocumentedDefault:
    """Documented default, with the name or the heading that it belongs to."""

    line: int
    name: str
    value: str
    heading: str
    heading_line: int = 0
    """Line of the heading, if only that names the setting."""


def documented_defaults(lines: Sequence[str]) -> Iterator[DocumentedDefault]:
    """Yield the defaults of a document, in order."""
    heading, heading_line = "", 0
    name, named = "", 0
    at: tuple[int, ...] | None = None
    yield from _find_in_ruled_tables(lines)
    for number, line in enumerate(lines, start=1):
        if line.startswith("#"):
            heading, heading_line = line.strip("# "), number
            own = _HEAD.match(line)
            name, named = ((own["span"] or own["plain"]), number) if own else ("", 0)
        elif (match := _NAMING.match(line)) and (match["span"] or "").lower() != "default":
            name, named = (match["span"] or match["flag"] or "").lstrip("-"), number
        head = _columns(line)
        if head:
            below = "".join(lines[number : number + 1])
            at = head if "--" in below or "==" in below else at
        elif not line.lstrip().startswith(("|", "+")):
            at = None
        if at and not head and (cells := _row(line, at)):
            yield DocumentedDefault(number, cells[0], cells[1], heading)
        elif _ITEM.match(line):
            continue
        elif (alone := _OWN_LINE.match(line)) and name and number - named < _BLOCK:
            start = max(
                heading_line if number - heading_line < _SHOWN_WHOLE else 0,
                named if number - named < _SHOWN_WHOLE else 0,
            )
            yield DocumentedDefault(number, name, _value(alone["value"]), heading, start)
        elif match := STATED.search(line):
            near = heading_line if heading_line and number - heading_line < _NEAR and not _NAMED.search(line) else 0
            yield DocumentedDefault(number, "", match["value"], heading, near)


def _value(text: str) -> str:
    """Return the value of a line with only a default: the code in it, or all of it."""
    span = _SPAN.match(text)
    return span[1] if span else text.strip("*_ ")


def _find_in_ruled_tables(lines: Sequence[str]) -> Iterator[DocumentedDefault]:
    """Yield the defaults in reStructuredText tables with rulers of equals signs."""
    columns: tuple[tuple[int, int], tuple[int, int]] | None = None
    rulers = 0
    for number, line in enumerate(lines, start=1):
        if _RST_TABLE_BORDER.match(line):
            rulers += 1
            if rulers == 1:
                columns = _ruled_columns(line, lines[number] if number < len(lines) else "")
            rulers = 0 if rulers == 3 else rulers
        elif rulers == 2 and columns:
            (first, end), (start, last) = columns
            name, value = (_MARKUP.sub("", line[a:b]).strip() for a, b in ((first, end), (start, last)))
            if name and value and not line.startswith(" "):
                yield DocumentedDefault(number, name, value, "")


def _ruled_columns(ruler: str, header: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Return the spans of the first column and the column of defaults in such a table; `None` without defaults."""
    spans = [match.span() for match in re.finditer(r"=+", ruler)]
    spans = [(start, spans[at + 1][0] if at + 1 < len(spans) else 1_000) for at, (start, _) in enumerate(spans)]
    default_columns = [span for span in spans[1:] if re.search(r"\bdefaults?\b", header[slice(*span)], re.IGNORECASE)]
    return (spans[0], default_columns[0]) if default_columns else None


def _columns(header: str) -> tuple[int, ...] | None:
    """Return the positions of the default columns in a table head; `None` for any other line."""
    if header.count("|") < 2:
        return None
    cells = [cell.strip().lower() for cell in _CELL.split(header)]
    default_columns = tuple(
        at for at, cell in enumerate(cells) if re.search(r"\bdefaults?\b|\bvalue\b", cell) and len(cell) < 30
    )
    return default_columns or None


def _row(line: str, at: Sequence[int]) -> tuple[str, str] | None:
    """Return the name and the default in a table row; `None` without them."""
    cells = [_MARKUP.sub("", cell).strip() for cell in _CELL.split(line)]
    named = [cell for cell in cells if cell]
    value = next((cells[column] for column in at if column < len(cells) and cells[column].strip("-: ")), "")
    return (named[0][:60], value) if named and value and value != named[0] else None
