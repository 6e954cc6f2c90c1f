"""Data of `read_file` and `search_files`."""

from __future__ import annotations

from bot.models.fact import Fact


class FileData(Fact):
    """Lines of a file."""

    project: str
    path: str
    first: int
    last: int
    lines: int
    """Number of lines of the whole file."""
    text: str
    """Lines `first` to `last`."""


class MatchData(Fact):
    """A line that contains the text, or a path that matches the pattern."""

    path: str
    line: int | None
    """Number of the line; `None` for a path."""
    text: str | None


class MatchesData(Fact):
    """Matches of a search."""

    project: str
    mode: str
    """`text` or `names`."""
    matches: tuple[MatchData, ...]
    is_complete: bool
    """False if there are more."""
