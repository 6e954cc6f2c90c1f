"""Purpose of a channel, help or discussion, derived from its name unless the settings define it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

Purpose = Literal["help", "discussion"]

_FOR_HELP = re.compile(
    r"(?:help(?:desk)?|support|ask|questions)(?![a-z0-9])|.*(?<![a-z0-9])(?:help|support|ask|questions)$", re.IGNORECASE
)


@lru_cache(maxsize=1_000)
def purpose_of(name: str) -> Purpose:
    """Return the purpose of a channel of this name: help where its first or last word says so."""
    return "help" if _FOR_HELP.match(name.strip().lstrip("#")) else "discussion"
