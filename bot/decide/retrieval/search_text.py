"""Searchable text of a question: without mentions, links, control characters and project names. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from bot.decide.retrieval.stemmer import LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_CHARS = 12_000
"""Maximum number of characters read of a question or of feedback."""
_NOISE = re.compile(
    r"<[@#!][^<>]*>|\b[UWCDGTB](?=[A-Z]*\d)[A-Z0-9]{8,11}\b|https?://\S+|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_ENDLESS = re.compile(rf"[!-~{LETTERS}]{{200,}}")
"""Run without a space that nobody typed, and that would slow down the patterns below."""


def asked_text(text: str, leave_out: Iterable[str]) -> str:
    """Return the text without control characters, lone surrogates, mentions, links and project names."""
    text = text[:MAX_CHARS].encode("utf-8", errors="ignore").decode("utf-8")
    text = _ENDLESS.sub(" ", unicodedata.normalize("NFKC", text)[:MAX_CHARS])
    text = _NOISE.sub(" ", text)
    text = "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else " " for c in text)
    for name in leave_out:
        if name.strip():
            text = re.sub(rf"(?<!\w){re.escape(name)}(?:['\u2019]s)?(?!\w)", " ", text, flags=re.IGNORECASE)
    return text
