"""The part of a very long text that rules read: its beginning, and its end, where a question under a log stands."""

from __future__ import annotations

HEAD, TAIL = 3_000, 1_000
"""Characters; the longest question that anybody wrote in the trials has a tenth of it."""


def excerpt(text: str) -> str:
    """The text itself up to `HEAD + TAIL` characters, else its beginning and its end, on lines of their own."""
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"
