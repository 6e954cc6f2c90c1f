"""The name of a note that is kept: made safe by code, whatever a model proposed. Called by `triage/notes`."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 60
"""Characters of a name, without its ending."""
_OTHER = re.compile(r"[^a-z0-9]+")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")


def note_name(proposed: str) -> str:
    """`retry-limits.md` for `../Retry limits.MD`: letters, digits and dashes, no folder, always Markdown.

    A name of which nothing is left is `note.md`.
    """
    last = re.split(r"[/\\]", proposed.strip())[-1]
    stem = re.sub(r"\.(md|markdown|txt)$", "", last, flags=re.IGNORECASE)
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode().lower()
    slug = _OTHER.sub("-", plain)[:LONGEST].strip("-")
    return f"{'note' if not slug or _RESERVED.fullmatch(slug) else slug}.md"


def numbered(name: str, number: int) -> str:
    """The name that is tried where others are taken: `retry-limits-2.md`."""
    return name if number == 1 else f"{name.removesuffix('.md')}-{number}.md"
