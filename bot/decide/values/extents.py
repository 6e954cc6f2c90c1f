"""Extent of a definition: up to its closing bracket, its indented lines, or the small block around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.retrieval.passages import is_document
from bot.decide.values.definitions import COMMENT, MAX_LINE_LENGTH, MOST_LINES, SMALL_BLOCK, depth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.values.definition import Definition


_GOES_ON = ("||", "??", " or", "=", "\\")
"""Line endings after which the value continues on the next line."""


def extent(path: str, lines: Sequence[str], definition: Definition, *, whole: bool = False) -> tuple[int, int]:
    """Return the first and last line to show for a definition; with `whole` those of the short block around it."""
    last = len(lines)
    if is_document(path):
        return definition.block_start or definition.line, definition.line
    if definition.kind == "stated" and not definition.name:
        return definition.line, definition.line
    if definition.kind == "stated":
        below = range(definition.line + 1, min(last, definition.line + SMALL_BLOCK) + 1)
        return definition.line, next(
            (n for n in below if lines[n - 1].strip() and not COMMENT.match(lines[n - 1])), definition.line
        )
    end = _end(lines, definition.line)
    if end - definition.line >= MOST_LINES:
        end = min(last, definition.line + MOST_LINES // 2 - 1)
    if not definition.block_start:
        return definition.line, end
    around = _end(lines, definition.block_start)
    short = MOST_LINES if definition.generic or whole else SMALL_BLOCK
    if end <= around and around - definition.block_start + 1 <= short:
        return definition.block_start, around
    if definition.generic and end - definition.block_start < MOST_LINES // 2:
        return definition.block_start, end
    return definition.line, end


def _end(lines: Sequence[str], start: int) -> int:
    """Return the last line of a statement: the closing bracket, or the last indented line."""
    first = lines[start - 1][:MAX_LINE_LENGTH]
    nested = depth(first)
    end = start
    limit = min(len(lines), start + 4 * MOST_LINES)
    if nested > 0:
        while nested > 0 and end < limit:
            end += 1
            nested += depth(lines[end - 1][:MAX_LINE_LENGTH])
        if not first.rstrip().endswith(":") and not lines[end - 1].rstrip().endswith(":"):
            return end
    while end < limit and lines[end - 1].rstrip().endswith(_GOES_ON):
        end += 1
    if not (lines[end - 1].split("#")[0].rstrip().endswith(":")):
        return end
    indent = len(first) - len(first.lstrip())
    last = end
    while end < limit:
        line = lines[end]
        if line.strip():
            if len(line) - len(line.lstrip()) <= indent and not (indent == 0 and line.startswith("- ")):
                break
            last = end + 1
        end += 1
    return last
