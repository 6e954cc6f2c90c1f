"""Phrases of the language packs as words, and where a sentence begins or ends with one. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.packs import Pack

Words = tuple[str, ...]
"""A phrase or a sentence, word by word."""


def phrases(packs: Sequence[Pack], *keys: str) -> tuple[Words, ...]:
    """Return the phrases of these keys as words, the longest first."""
    found = {tuple(phrase.split()) for pack in packs for key in keys for phrase in pack.words[key]}
    return tuple(sorted(found, key=lambda phrase: (-len(phrase), phrase)))


def beginning(words: Words, known: tuple[Words, ...]) -> Words:
    """Return the first known phrase that the words begin with; empty without one."""
    return next((phrase for phrase in known if words[: len(phrase)] == phrase), ())


def ending(words: Words, known: tuple[Words, ...]) -> Words:
    """Return the first known phrase that the words end with; empty without one."""
    return next((phrase for phrase in known if words[-len(phrase) :] == phrase), ())
