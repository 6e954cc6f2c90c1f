"""Excerpt of a very long text for the rules: its beginning, and its end, where a question under a log stands."""

from __future__ import annotations

import re

HEAD, TAIL = 1_500, 500
"""Characters; the longest question in the trials had a fifth of this."""


_LIGATURES = re.compile("[\u3300-\u3357\ufdf0-\ufdfc]")
"""Characters that stand for whole words and formulas, each up to eighteen letters in compatible form."""
_FEW = 20


def excerpt(text: str) -> str:
    """Return the text up to `HEAD + TAIL` characters, else its beginning and its end on separate lines."""
    part = text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"
    return part if part.isascii() or len(_LIGATURES.findall(part)) <= _FEW else _LIGATURES.sub(" ", part)
