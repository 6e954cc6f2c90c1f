"""Pieces of a long text: each short enough for one message or block, none ending inside code, a mention or a link."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = re.compile(r"^[ \t]*(?P<fence>`{3,})(?P<rest>[^`\n]*)$")
TABLE_RULE = re.compile(r"^[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$")
"""The line below the head of a table."""
_WHOLE = re.compile(r"<[^<>\n]*>|`[^`\n]*`|\[[^\[\]\n]*\]\([^()\s]*\)|[@#][\w.-]+|\*\*[^*\n]+\*\*")
"""Parts that are never split: Slack's own markup, inline code, links, mentions by name, bold words."""


def pieces(text: str, limit: int) -> list[str]:
    """Split `text` into pieces of at most `limit` characters, between paragraphs, lines or words, in this order."""
    if len(text) <= limit:
        return [text]
    done: list[str] = []
    units: list[str] = []
    for unit in _units(text.split("\n"), limit):
        if units and _size(units) + 1 + len(unit) > limit:
            done.append("\n".join(units[: _end(units, limit)]))
            units = units[_end(units, limit) :]
            if _size(units) + 1 + len(unit) > limit:
                done.append("\n".join(units))
                units = []
        units.append(unit)
    done.append("\n".join(units))
    return [stripped for piece in done if (stripped := piece.strip("\n"))]


def _size(units: list[str]) -> int:
    return sum(map(len, units)) + len(units) - 1 if units else 0


def _end(units: list[str], limit: int) -> int:
    """Return the number of units of the piece: up to the last paragraph, unless that leaves more than a third."""
    blank = next((at for at in range(len(units) - 1, 0, -1) if not units[at].strip()), 0)
    return blank if blank and _size(units[blank:]) <= limit // 3 else len(units)


def _units(lines: list[str], limit: int) -> Iterator[str]:
    """Yield lines, tables and whole fences, each at most `limit` long."""
    at = 0
    while at < len(lines):
        if fence := _FENCE.match(lines[at]):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].strip() == fence["fence"]), len(lines) - 1)
            yield from _split_fence(lines[at : end + 1], fence["fence"], limit)
            at = end + 1
        else:
            rows = next((n for n, line in enumerate(lines[at:]) if not line.lstrip().startswith("|")), len(lines) - at)
            if rows > 1 and _size(lines[at : at + rows]) <= limit:
                yield "\n".join(lines[at : at + rows])
            elif rows > 2 and TABLE_RULE.match(lines[at + 1]) and max(map(len, lines[at : at + rows])) * 3 < limit:
                yield from _split_table(lines[at : at + rows], limit)
            else:
                rows = 1
                yield from _cut(lines[at], limit)
            at += rows


def _split_fence(lines: list[str], fence: str, limit: int) -> Iterator[str]:
    """Yield a fence as one unit; one that is too long is closed and opened again."""
    if _size(lines) <= limit:
        yield "\n".join(lines)
        return
    room = limit - len(lines[0]) - len(fence) - 2
    inner = lines[1:-1] if lines[-1].strip() == fence else lines[1:]
    lines_inside: list[str] = []
    for part in (part for line in inner for part in _split_hard(line, room)):
        if lines_inside and _size(lines_inside) + 1 + len(part) > room:
            yield "\n".join((lines[0], *lines_inside, fence))
            lines_inside = []
        lines_inside.append(part)
    yield "\n".join((lines[0], *lines_inside, fence))


def _split_table(lines: list[str], limit: int) -> Iterator[str]:
    """Yield the parts of a table that is too long, about equal, each with its head."""
    head, rows = lines[:2], list[str]()
    room = limit - _size(head) - 1
    even = -(-_size(lines[2:]) // -(-_size(lines[2:]) // room))
    for row in lines[2:]:
        if rows and (_size(rows) >= even or _size([*rows, row]) > room):
            yield "\n".join((*head, *rows))
            rows = []
        rows.append(row)
    yield "\n".join((*head, *rows))


def _split_hard(line: str, limit: int) -> list[str]:
    return [line[at : at + limit] for at in range(0, len(line), limit)] or [""]


def _cut(line: str, limit: int) -> Iterator[str]:
    """Yield a line in parts, cut at a space outside of unsplittable parts."""
    while len(line) > limit:
        inside = [match.span() for match in _WHOLE.finditer(line) if match.end() - match.start() <= limit]
        outer = next((start for start, end in inside if start < limit < end), limit)
        space = line.rfind(" ", 0, outer)
        while space > 0 and any(start < space < end for start, end in inside):
            space = line.rfind(" ", 0, space)
        at = space if space > limit // 2 else outer or limit
        yield line[:at].rstrip()
        line = line[at:].lstrip()
    yield line
