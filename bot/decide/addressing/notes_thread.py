"""The words that open a thread of notes: `notes for shop`. Pure; asked by whoever hears the bot spoken to (spec 2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_OPENED = re.compile(
    r"(?:please\s+)?(?:(?:take|keep)\s+)?notes\s+(?:for|on|of)\s+(?:the\s+)?(?:project\s+)?[`*\"']?"
    r"(?P<name>[\w.-]{1,80}?)[`*\"']?(?:\s+(?:here|please))*\s*[.!:]?",
    re.IGNORECASE,
)


def notes_asked_for(said: str, names: Iterable[str]) -> str | None:
    """The project whose notes are to be taken, where a message says that and nothing else; `None` for any other.

    `said` is its text without the mention of the bot, `names` are the projects that there are.
    """
    opened = _OPENED.fullmatch(said.strip())
    if opened is None:
        return None
    return next((name for name in names if name.lower() == opened["name"].lower()), None)
