"""Correction of orders with one wrong letter in a word. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

SHORTEST = 4
"""Minimum letters of a word that is corrected."""
_WORD = re.compile(r"[A-Za-z]+")


class Speller:
    """Spelling correction with the words of some templates."""

    def __init__(self, words: Collection[str]) -> None:
        self._words = frozenset(word for word in words if word.isascii())
        self._near: dict[str, set[str]] = {}
        for word in self._words:
            if len(word) >= SHORTEST:
                for key in _keys(word):
                    self._near.setdefault(key, set()).add(word)

    def mend(self, text: str, *, keep: Collection[str]) -> str:
        """Replace each unknown word that differs in one letter from exactly one known word."""
        kept = {part for name in keep for part in _WORD.findall(name.lower())}

        def mended(found: re.Match[str]) -> str:
            word = found[0].lower()
            if len(word) < SHORTEST or word in self._words or word in kept or found[0].isupper():
                return found[0]
            near = {each for key in _keys(word) for each in self._near.get(key, ()) if _one_off(word, each)}
            return near.pop() if len(near) == 1 else found[0]

        return _WORD.sub(mended, text)


def _keys(word: str) -> set[str]:
    """Return the word, and it without each one of its letters; similar words have one of these in common."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def _one_off(one: str, other: str) -> bool:
    """Return whether one letter is wrong, missing or added, or two adjacent ones are swapped."""
    if abs(len(one) - len(other)) > 1:
        return False
    if len(one) != len(other):
        short, long = sorted((one, other), key=len)
        return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
    off = [at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(off) == 1:
        return 0 < off[0] < len(one) - 1
    swapped = len(off) == 2 and off[1] == off[0] + 1
    return swapped and one[off[0]] == other[off[1]] and one[off[1]] == other[off[0]]
