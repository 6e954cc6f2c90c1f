"""Extent of a definition: up to its closing bracket, its indented lines, or the small block around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.retrieval.passages import is_document
from bot.decide.values.definitions import COMMENT, MOST_LINES, SEEN, SMALL_BLOCK, depth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.values.definition import Definition


_GOES_ON = ("||", "??", " or", "=", "\\")
"""Line endings after which the value continues on the next line."""


def extent(path: str, lines: Sequence[str], found: Definition, *, whole: bool = False) -> tuple[int, int]:
    """Return the first and last line to show for a definition; with `whole` those of the short block around it."""
    last = len(lines)
    if is_document(path):
        return found.opened or found.line, found.line
    if found.kind == "stated" and not found.name:
        return found.line, found.line
    if found.kind == "stated":
        below = range(found.line + 1, min(last, found.line + SMALL_BLOCK) + 1)
        return found.line, next(
            (n for n in below if lines[n - 1].strip() and not COMMENT.match(lines[n - 1])), found.line
        )
    end = _end(lines, found.line)
    if end - found.line >= MOST_LINES:
        end = min(last, found.line + MOST_LINES // 2 - 1)
    if not found.opened:
        return found.line, end
    around = _end(lines, found.opened)
    short = MOST_LINES if found.generic or whole else SMALL_BLOCK
    if end <= around and around - found.opened + 1 <= short:
        return found.opened, around
    if found.generic and end - found.opened < MOST_LINES // 2:
        return found.opened, end
    return found.line, end


def _end(lines: Sequence[str], start: int) -> int:
    """Return the last line of a statement: the closing bracket, or the last indented line."""
    first = lines[start - 1][:SEEN]
    nested = depth(first)
    end = start
    most = min(len(lines), start + 4 * MOST_LINES)
    if nested > 0:
        while nested > 0 and end < most:
            end += 1
            nested += depth(lines[end - 1][:SEEN])
        if not first.rstrip().endswith(":") and not lines[end - 1].rstrip().endswith(":"):
            return end
    while end < most and lines[end - 1].rstrip().endswith(_GOES_ON):
        end += 1
    if not (lines[end - 1].split("#")[0].rstrip().endswith(":")):
        return end
    indent = len(first) - len(first.lstrip())
    last = end
    while end < most:
        line = lines[end]
        if line.strip():
            if len(line) - len(line.lstrip()) <= indent and not (indent == 0 and line.startswith("- ")):
                break
            last = end + 1
        end += 1
    return last
