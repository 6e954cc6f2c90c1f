"""Safe file names: a name that could pass for further lines of a result is never shown by a tool.

A repository may contain names with line breaks, tabs or direction marks, which would forge results.
"""

from __future__ import annotations

import re

from bot.models.visible import clean

_BREAKS = re.compile(r"[\t\n\r\u2028\u2029]")
GLOB = "*[\x01-\x1f\x7f]*"
"""Glob of names that ripgrep skips, since they would break its output."""


def is_legible(path: str) -> bool:
    """Return whether a path is fully visible, in one line."""
    return not _BREAKS.search(path) and clean(path) == path


def make_legible(text: str) -> str:
    """Return a name fit for one line: other characters are replaced."""
    return text if is_legible(text) else "".join(char if is_legible(char) else "\ufffd" for char in text)
