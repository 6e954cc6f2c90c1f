"""Requests for a notes thread: `notes for shop`. Pure (spec 2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_REQUEST = re.compile(
    r"(?:please\s+)?(?:(?:take|keep)\s+)?notes\s+(?:for|on|of)\s+(?:the\s+)?(?:project\s+)?[`*\"']?"
    r"(?P<name>[\w.-]{1,80}?)[`*\"']?(?:\s+(?:here|please))*\s*[.!:]?",
    re.IGNORECASE,
)


def find_notes_project(text: str, names: Iterable[str]) -> str | None:
    """Return the project of a request for a notes thread; `None` for any other message.

    The text has no mention of the bot; `names` are the existing projects.
    """
    match = _REQUEST.fullmatch(text.strip())
    if match is None:
        return None
    return next((name for name in names if name.lower() == match["name"].lower()), None)
