"""Improvement of a draft over the one that was sent back before it, as code has found it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Improvement:
    """Changes of a draft since the round before."""

    is_same_text: bool
    new_refs: tuple[str, ...]
    """References that the last draft lacked, by file and lines."""
    kept_refs: tuple[str, ...]
    dropped_refs: tuple[str, ...]
    new_values: tuple[str, ...]
    """Numbers, paths and names that the last draft lacked."""
    met: tuple[str, ...]
    """References that lie where the objection said to look, and that the last draft lacked."""
    removed: tuple[str, ...]
    """Dropped references that the objection names."""

    @property
    def is_specific(self) -> bool:
        """Return whether it has a new place or value, or lacks a place that was objected to."""
        return bool(self.new_refs or self.new_values or self.removed)
