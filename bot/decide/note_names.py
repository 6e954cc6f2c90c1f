"""The name of a note's file: made safe by code, whatever a model or a person proposed."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from bot.decide.slug import latin

LONGEST = 60
"""Characters of a name, without its ending."""
_MOST_BYTES = 180
"""Of a name on the disk, which leaves room for what is written beside it."""
_READ = 500
_OTHER = re.compile(r"[^a-z0-9]+")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")


def note_name(proposed: str) -> str:
    """`retry-limits.md` for `../Retry limits.MD`: letters of any script, digits, dashes, no folder, always Markdown.

    A name of which nothing is left is `note.md`.
    """
    last = re.split(r"[/\\]", proposed.strip())[-1]
    stem = re.sub(r"\.(md|markdown|txt)$", "", last, flags=re.IGNORECASE)
    plain = unicodedata.normalize("NFKC", stem[:_READ]).lower()
    kept = "".join(char if unicodedata.category(char)[0] in "LMN" else "-" for char in plain)
    slug = re.sub(r"-+", "-", kept).strip("-")[:LONGEST].encode()[:_MOST_BYTES].decode("utf-8", "ignore").strip("-")
    return f"{'note' if not slug or _RESERVED.fullmatch(slug) else slug}.md"


def titled(title: str) -> str:
    """The same for a title in any script: `limity-povtora.md`; where no letter can be written in Latin, by its hash.

    One title has one name; two titles may have the same, which whoever writes must look for.
    """
    plain = latin(re.sub(r"\.md$", "", title.strip(), flags=re.IGNORECASE))
    slug = _OTHER.sub("-", plain)[:LONGEST].strip("-")
    if slug and not _RESERVED.fullmatch(slug):
        return f"{slug}.md"
    return f"note-{hashlib.blake2b(title.strip().encode('utf-8', 'replace'), digest_size=4).hexdigest()}.md"


def numbered(name: str, number: int) -> str:
    """The name that is tried where others are taken: `retry-limits-2.md`."""
    return name if number == 1 else f"{name.removesuffix('.md')}-{number}.md"
