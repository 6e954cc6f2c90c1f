"""Notice to the admin about a missing or refused key of the model: once for each key of this process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blocks.text import escape

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.errors import NoKey

NEXT_STEP = (
    "Without one the keyword engine drafts, and the chat agent only takes commands; each run tries again. If this goes "
    "on, correct `ANTHROPIC_API_KEY` and start Triage again; a key in the file of "
    "`ANTHROPIC_API_KEY_FILE` is read again at the next message to the chat agent."
)


@dataclass(frozen=True)
class KeyNotice:
    """Notices about keys. `tell` takes a line for the admin, as mrkdwn, and must not block."""

    tell: Callable[[str], None]
    _told: set[int] = field(default_factory=set)

    def report(self, problem: NoKey) -> None:
        """Tell the admin about a key, unless that was done."""
        if problem.key_number not in self._told:
            self._told.add(problem.key_number)
            self.tell(f"The agents have no usable key: {escape(str(problem))}. {NEXT_STEP}")
