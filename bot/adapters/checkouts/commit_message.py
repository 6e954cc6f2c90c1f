"""Message of a commit: the words of a person, and the task in a trailer that only code writes. Pure."""

from __future__ import annotations

import re

from bot.models.visible import clean

MAX_MESSAGE = 10_000
"""Characters of a commit's message."""
TRAILER = "Triage-Task"
_TRAILER_LINE = re.compile(rf"^\s*{TRAILER}\s*:", re.IGNORECASE)


def build_message(message: str, task: str) -> str:
    """Return a commit's message with its trailer; lines that look like one are left out."""
    lines = [line.rstrip() for line in clean(message[:MAX_MESSAGE]).splitlines() if not _TRAILER_LINE.match(line)]
    text = "\n".join(lines).strip()
    return f"{text}\n\n{TRAILER}: {task}\n" if task else f"{text}\n"
