"""Quoted texts of a question: messages that occur verbatim in the code, except for their variable parts. Pure."""

from __future__ import annotations

import re

_QUOTED = re.compile(
    r"`([^`\n]{3,120})`|\"([^\"\n]{3,120})\"|\u201c([^\u201d\n]{3,120})\u201d|(?<!\w)'([^'\n]{3,120})'(?!\w)"
)
_VARYING = re.compile(r"\b\d[\d.,:]*|:(?=\s)|\.{2,}|\u2026|%[sdvq]|[{<\[][^}>\]]{0,60}[}>\]]|'[^']{0,60}'|\"")
"""Variable parts of a message, and the characters around them."""
_LEVEL = re.compile(r"^\W*(?:[A-Z]{4,}|[A-Z][a-z]+Error)\b[!:]?\s+")
"""Log prefix of a message."""
_NAME = re.compile(r"(?<!\S)(?=\S*\w[-_/=\d])\S+")
"""Name inside a message: `allkeys-lru`, `web-vault/`."""
_SHORTEST_PHRASE = 8


def phrases(text: str) -> list[str]:
    """Return the quoted texts of more than one word, and their constant parts."""
    quoted = [next(part for part in groups if part).strip() for groups in _QUOTED.findall(text)]
    whole = [_LEVEL.sub("", phrase) for phrase in quoted]
    spoken = [part for phrase in whole for part in _VARYING.split(phrase)]
    parts = [
        part.strip(" .,;()[]") for part in (*whole, *spoken, *(piece for each in spoken for piece in _NAME.split(each)))
    ]
    long = dict.fromkeys(part for part in (*quoted, *parts) if " " in part and len(part) >= _SHORTEST_PHRASE)
    return list(long)
