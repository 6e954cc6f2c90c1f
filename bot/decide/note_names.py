"""File names of notes, made safe by code for any proposal of a model or a person."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from bot.decide.slug import latin

LONGEST = 60
"""Maximum length of a name without its extension, in characters."""
_MOST_BYTES = 180
"""Maximum length of a name on disk in bytes, with room for suffixes."""
_READ = 500
_OTHER = re.compile(r"[^a-z0-9]+")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")


def note_name(proposed: str) -> str:
    """Return a safe name: `retry-limits.md` for `../Retry limits.MD`.

    Letters of any script, digits and dashes; no folder; always Markdown. An empty name becomes `note.md`.
    """
    last = re.split(r"[/\\]", proposed.strip())[-1]
    stem = re.sub(r"\.(md|markdown|txt)$", "", last, flags=re.IGNORECASE)
    plain = unicodedata.normalize("NFKC", stem[:_READ]).lower()
    safe = "".join(char if unicodedata.category(char)[0] in "LMN" else "-" for char in plain)
    slug = re.sub(r"-+", "-", safe).strip("-")[:LONGEST].encode()[:_MOST_BYTES].decode("utf-8", "ignore").strip("-")
    return f"{'note' if not slug or _RESERVED.fullmatch(slug) else slug}.md"


def name_for_title(title: str) -> str:
    """Return a name in Latin letters for a title in any script: `limity-povtora.md`; else its hash.

    Each title has one name, but two titles may have the same one, which the writer must check.
    """
    plain = latin(re.sub(r"\.md$", "", title.strip(), flags=re.IGNORECASE))
    slug = _OTHER.sub("-", plain)[:LONGEST].strip("-")
    if slug and not _RESERVED.fullmatch(slug):
        return f"{slug}.md"
    return f"note-{hashlib.blake2b(title.strip().encode('utf-8', 'replace'), digest_size=4).hexdigest()}.md"


def number_name(name: str, number: int) -> str:
    """Return the name to try when others exist: `retry-limits-2.md`."""
    return name if number == 1 else f"{name.removesuffix('.md')}-{number}.md"
