"""Note of a project: a Markdown file in `notes/<project>/` of the home, written by commands and by hand.

Each passage from a command begins with a marker: time, author and place. With it `triage purge` finds the words of a
person, a channel or a thread in a note by several people. Readers see a date and a name instead.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from bot.models.fact import Fact

if TYPE_CHECKING:
    from bot.models.interaction import Asker

MARK = re.compile(
    r"^<!-- (?P<at>\d{4}-\d\d-\d\d \d\d:\d\d) UTC, (?P<user>[A-Z0-9]+) in (?P<place>[A-Z0-9.-]+) -->$", re.MULTILINE
)
TERMINAL = "TERMINAL"
"""The place in the marker of a passage written by `triage command`."""
MOST_BYTES = 100_000
"""Bytes of one note."""
MOST_NOTES = 500
"""Notes of one project."""
NOTE_PROJECT = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
NOTE_NAME = r"[a-z0-9][a-z0-9-]{0,79}\.md"
_COMMENT = re.compile(r"^<!-- ", re.MULTILINE)
_HEADING = re.compile(r"^# +(\S(?:.*\S)?)", re.MULTILINE)


class Note(Fact):
    """A note as an entry of a list."""

    name: str
    """The file name: `retry-limits.md`."""
    title: str
    size: int
    """In bytes."""
    changed_at: datetime


def mark_passage(text: str, asker: Asker, at: datetime) -> str:
    """Add a marker to a passage. Comments at line starts are indented, so that none passes for a marker."""
    body = _COMMENT.sub(" <!-- ", text.strip("\n"))
    place = TERMINAL if asker.via == "cli" else asker.conversation
    return f"<!-- {at:%Y-%m-%d %H:%M} UTC, {asker.user_id} in {place} -->\n{body}\n"


def passages(content: str) -> list[str]:
    """Split a note into pieces that add up to it; each but perhaps the first begins with a marker."""
    starts = [match.start() for match in MARK.finditer(content)]
    ends = [*starts, len(content)]
    pieces = [content[: ends[0]], *(content[start:end] for start, end in zip(starts, ends[1:], strict=True))]
    return [piece for piece in pieces if piece]


def title_of(name: str, content: str) -> str:
    """Return the first heading, else the name without its ending."""
    match = _HEADING.search(content)
    return match[1] if match else name.removesuffix(".md")
