"""Text that holds no secret: cards, logs and answers show it word for word."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator


def find_secret_fault(text: str, remedy: str) -> str:
    """Return the fault of a text with a secret, which it does not repeat; empty without one.

    `remedy` is the next step, as an imperative clause.
    """
    from bot.decide.redaction.redactor import Redactor  # slow to import, and rarely needed

    kinds = Redactor().kinds(text)
    return f"expected no secret, found {kinds[0]}: {remedy}" if kinds else ""


def _is_secret_free(text: str) -> str:
    if fault := find_secret_fault(text, "secrets never stand in the settings; choose a target that needs none"):
        raise ValueError(fault)
    return text


SecretFree = Annotated[str, AfterValidator(_is_secret_free)]
