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
        protected = {part for name in keep for part in _WORD.findall(name.lower())}

        def correct(match: re.Match[str]) -> str:
            word = match[0].lower()
            if len(word) < SHORTEST or word in self._words or word in protected or match[0].isupper():
                return match[0]
            near = {each for key in _keys(word) for each in self._near.get(key, ()) if _one_off(word, each)}
            return near.pop() if len(near) == 1 else match[0]

        return _WORD.sub(correct, text)


def _keys(word: str) -> set[str]:
    """Return the word, and it without each one of its letters; similar words have one of these in common."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def _one_off(first: str, second: str) -> bool:
    """Return whether one letter is wrong, missing or added, or two adjacent ones are swapped.

    Their lengths differ by one at most.
    """
    if len(first) != len(second):
        short, long = sorted((first, second), key=len)
        return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
    off = [at for at, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
    if len(off) == 1:
        return 0 < off[0] < len(first) - 1
    swapped = len(off) == 2 and off[1] == off[0] + 1
    return swapped and first[off[0]] == second[off[1]] and first[off[1]] == second[off[0]]
