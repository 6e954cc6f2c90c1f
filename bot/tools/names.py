"""Names that a result shows in one line: a file whose name could pass for further lines is none that any tool shows.

A repository gives its files whatever names it likes, with line breaks, tabs and what turns the direction of reading:
such a name would be a result that nobody has found.
"""

from __future__ import annotations

import re

from bot.models.visible import clean

_BREAKS = re.compile(r"[\t\n\r\u2028\u2029]")
GLOB = "*[\x01-\x1f\x7f]*"
"""What ripgrep leaves out, whose own output such names would break."""


def is_legible(path: str) -> bool:
    """Return whether all of a path is seen, and in one line."""
    return not _BREAKS.search(path) and clean(path) == path


def legible(text: str) -> str:
    """A name as it can stand in a line: what is no part of one becomes a mark."""
    return text if is_legible(text) else "".join(char if is_legible(char) else "\ufffd" for char in text)
