"""The part of a very long text that rules read: its beginning, and its end, where a question under a log stands."""

from __future__ import annotations

import re

HEAD, TAIL = 1_500, 500
"""Characters; the longest question that anybody wrote in the trials has a fifth of it."""


_LIGATURES = re.compile("[\u3300-\u3357\ufdf0-\ufdfc]")
"""Signs for whole words and formulas, each up to eighteen letters in compatible form; a few may stand in a question."""
_FEW = 20


def excerpt(text: str) -> str:
    """The text itself up to `HEAD + TAIL` characters, else its beginning and its end, on lines of their own."""
    part = text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"
    return part if part.isascii() or len(_LIGATURES.findall(part)) <= _FEW else _LIGATURES.sub(" ", part)
