"""Text of a question as it is searched for: without mentions, links, controls and names of projects. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from bot.decide.retrieval.stemmer import LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_CHARS = 12_000
"""What is read of a question or of feedback, from its beginning."""
_NOISE = re.compile(
    r"<[@#!][^<>]*>|\b[UWCDGTB](?=[A-Z]*\d)[A-Z0-9]{8,11}\b|https?://\S+|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_ENDLESS = re.compile(rf"[!-~{LETTERS}]{{200,}}")
"""A run without a space that no person typed; also what would make a pattern below slow."""


def asked_text(text: str, leave_out: Iterable[str]) -> str:
    """Return the text without controls, halves of characters, mentions, links and names of projects."""
    text = text[:MAX_CHARS].encode("utf-8", errors="ignore").decode("utf-8")
    text = _ENDLESS.sub(" ", unicodedata.normalize("NFKC", text)[:MAX_CHARS])
    text = _NOISE.sub(" ", text)
    text = "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs") else " " for c in text)
    for name in leave_out:
        if name.strip():
            text = re.sub(rf"(?<!\w){re.escape(name)}(?:['\u2019]s)?(?!\w)", " ", text, flags=re.IGNORECASE)
    return text
