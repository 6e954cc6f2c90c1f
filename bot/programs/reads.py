"""Paths that the settings let declared programs read, beside their folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.tools.roots import contains_home, is_own

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def find_reads_fault(reads: Sequence[Path]) -> str:
    """Return the reason why one of these paths cannot be granted, as a clause; empty if all can be. Blocking."""
    for path in reads:
        if not path.exists():
            return f"{path}, which it may read, does not exist"
        if is_own(path.resolve()) or contains_home(path.resolve()):
            return f"Triage's own state is in {path}, which it may read: name folders inside"
    return ""
