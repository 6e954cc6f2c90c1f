"""Model's answer that does not fit its form: changes by code that keep it, and notes of one that could not be kept."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from bot.models.fact import Fact

MAX_UNCHECKED_CHARS = 3_000
MOST_UNCHECKED = 3
"""Unchecked notes that a question keeps, newest last."""


class AnswerChange(Fact):
    """Change by code to a model's answer that was kept in spite of a fault of its form."""

    kind: Literal["cut", "marked", "dropped", "chosen", "mended"]
    """Text that was shortened; text that is too long and was kept; keys that the form does not have; one of several
    answers that differ; a spelling that was brought into the form."""
    field: str = ""
    text: str
    """A plain phrase with a capital and without a full stop."""


class UncheckedNotes(Fact):
    """Text of a run that ended without a usable answer: read by nobody and checked by nothing, for people only."""

    agent: str
    round: int
    text: Annotated[str, Field(max_length=MAX_UNCHECKED_CHARS)]
