"""Bit masks for sets of names: feature sets that are small and fast to look up. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Masks:
    """One bit for each name, in their order."""

    def __init__(self, names: Iterable[str]) -> None:
        self.bit = {name: 1 << place for place, name in enumerate(names)}
        self._at = {bit: name for name, bit in self.bit.items()}

    def mask_of(self, *names: str) -> int:
        """Return the mask of these names."""
        mask = 0
        for name in names:
            mask |= self.bit[name]
        return mask

    def names_in(self, mask: int) -> list[str]:
        """Return the names in a mask, in their order."""
        names = []
        while mask:
            lowest = mask & -mask
            names.append(self._at[lowest])
            mask ^= lowest
        return names
