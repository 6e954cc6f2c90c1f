"""Best text of a run that ended without an answer, in a form for people.

It has passed no check: it is shown as unchecked, and no draft, hint or prompt gets any of it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bot.agents.json_objects import find_objects
from bot.models.turn import Turn
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.turn import Entry


_MOST_KEPT = 20_000
"""Characters of a text before secrets are removed from it."""


def find_best_text(history: Sequence[Entry]) -> str:
    """Return the longest attempt at an answer; without one, what the model wrote beside its calls, newest first."""
    turns = [entry for entry in history if isinstance(entry, Turn) and entry.text.strip()]
    attempts = [turn.text for turn in turns if not turn.calls]
    if attempts:
        return clip_notes(_to_lines(max(reversed(attempts), key=len)))
    return clip_notes("\n\n".join(turn.text.strip() for turn in reversed(turns)))


def _to_lines(text: str) -> str:
    """Return an answer that is mostly one JSON object as its texts, line by line; any other text unchanged."""
    longest = max(find_objects(text), key=lambda content: len(json.dumps(content)), default=None)
    if not longest or 2 * len(json.dumps(longest, ensure_ascii=False)) < len(text):
        return text
    return "\n".join(f"{key}: {_format(value)}" for key, value in longest.items() if value)


def _format(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def clip_notes(text: str) -> str:
    """Return the beginning of a text, without invisible characters.

    It is longer than what is shown, so that no secret is cut before it is redacted.
    """
    return clean(text[:_MOST_KEPT]).strip()
