"""Terminal text: columns of letters, and lines wrapped between words."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.plain_lines import PlainLine

_INDENT = "  "
_WIDEST = 2
"""Columns of the widest sign."""
_WIDE_VARIANT = "\ufe0f"
"""Selector that makes the sign before it an emoji, as wide as a wide letter."""
_JOINED = range(0x1160, 0x1200)
"""Vowels and finals of Hangul, drawn within the letter before them."""


def measure(text: str) -> int:
    """Return the terminal columns of a text: wide letters and emoji take two, signs on others none."""
    return sum(map(_measure_sign, text))


def _measure_sign(sign: str) -> int:
    if sign.isascii() or sign == _WIDE_VARIANT:
        return 1
    if unicodedata.category(sign) in ("Mn", "Me", "Cf") or ord(sign) in _JOINED:
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def isolate(text: str) -> str:
    """Enclose a text that runs from right to left, so that it does not reorder the columns beside it."""
    runs_left = any(unicodedata.bidirectional(sign) in ("R", "AL") for sign in text)
    return f"\u2068{text}\u2069" if runs_left else text


def wrap_line(line: PlainLine, width: int) -> list[str]:
    """Wrap a line between words; its further lines are indented. Longer words, such as addresses, stay whole."""
    return [line.text] if line.is_code else wrap(line.text, width, further=_INDENT, breaks=False)


def wrap(text: str, width: int, *, first: str = "", further: str = "", breaks: bool = True) -> list[str]:
    """Wrap a text between words, by the columns of the terminal; with `breaks` a word that is wider is broken.

    `first` and `further` are the indents of the first line and of the others, left out where there is no room.
    """
    if measure(f"{first}{text}") <= width:
        return [f"{first}{text}"]
    first, further = (indent if len(indent) + _WIDEST <= width else "" for indent in (first, further))
    lines, blank = [first], False
    for word in text.split():
        rest = word
        if blank and measure(f"{lines[-1]} {rest}") <= width:
            lines[-1] += " "
        elif blank:
            lines.append(further)
        while breaks and measure(f"{lines[-1]}{rest}") > width:
            if (cut := _fit(rest, width - measure(lines[-1]))) == len(rest):
                break
            lines[-1] += rest[:cut]
            lines.append(further)
            rest = rest[cut:]
        lines[-1] += rest
        blank = True
    return lines


def _fit(word: str, room: int) -> int:
    """Return the number of signs of a word that fit a number of columns: at least one."""
    fitting = next((number for number in range(1, len(word) + 1) if measure(word[:number]) > room), len(word) + 1) - 1
    return max(1, fitting)
