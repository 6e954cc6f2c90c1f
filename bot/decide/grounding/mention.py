"""Mention of a place in a text: a file, a folder, a commit or a note."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Mention:
    """Reference in a text."""

    kind: Literal["file", "commit", "url"]
    text: str
    """Spelling in the text, including its lines."""
    paths: tuple[str, ...] = ()
    """Readings of a file's path with slashes, most likely first."""
    first: int | None = None
    last: int | None = None
    commit: str | None = None
    """SHA, or the name of a branch in an address."""
    is_sure: bool = False
    """True if it is a reference regardless of the project's files."""
    words: str = ""
    """Words that name the lines, if any."""
    quoted: str | None = None
    """Line in a fence that contains it, which may be quoted code."""
