"""Isolation of fixes: the check runs code that an agent wrote, which no person has read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.isolation import boundary

if TYPE_CHECKING:
    from bot.config.settings import Settings


def find_isolation_fault(settings: Settings) -> str:
    """Return the reason why no fix may be drafted on this machine, as a sentence; empty if one may.

    Without a boundary an admin must have accepted that, by `security.isolation: off`.
    """
    limits = boundary()
    if limits.bwrap or settings.security.isolation == "off":
        return ""
    return f"The check would run code that an agent wrote, and programs are not isolated here: {limits.problem}."
