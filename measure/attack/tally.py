"""What an attack came to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tally:
    """One row of the table: how many tries, and which of them had an effect."""

    attack: str
    tries: int
    effects: tuple[str, ...] = ()
    """Each try that got through, in a few words; the bar is none."""
    measured: str = ""
    """A figure beside it: the longest step, the largest size."""
