"""Descriptions of tasks: prompts of hooks with their variables filled in; events and output are quoted line by line.

The whole description of a task is untrusted for a model. The sign before each line keeps what was read apart from the
words of the hook's owner, for people and models: nothing in it can end the quotation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.decide.hooks.syntax import format_step
from bot.decide.hooks.template import fill_template
from bot.models.hook_record import MAX_EVENT_CHARS
from prompts.envelope import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.hook import Hook
    from bot.models.hook_record import HookCause
    from bot.tools.guard import Guard

ROOM = 12_000
"""Characters of a description."""
_HEADING = 400
"""Characters of the line above one text."""
_CUT = "> … (cut)"
BY_HAND = "Nothing: a person fired the hook."


@dataclass(frozen=True, kw_only=True)
class Descriptions:
    """Writer of descriptions. `zone` is the time zone of the settings."""

    guard: Guard
    zone: str

    def write(self, hook: Hook, cause: HookCause, outputs: Sequence[str]) -> str:
        """Return the description of the task that a run creates."""
        local = cause.at.astimezone(ZoneInfo(self.zone))
        event = (
            self._quote(f"event, {cause.kind.replace('_', ' ')}", cause.text, 2 * MAX_EVENT_CHARS)
            if cause.text
            else BY_HAND
        )
        room = (ROOM - len(hook.prompt) - len(event)) // max(1, len(outputs)) - _HEADING
        texts = [
            self._quote(format_step(step), output or "(no output)", room)
            for step, output in zip(hook.steps, outputs, strict=True)
        ]
        values = {
            "hook": hook.name,
            "date": f"{local:%Y-%m-%d}",
            "time": f"{local:%H:%M}",
            "event": event,
            "output": "\n\n".join(texts),
        }
        return fill_template(hook.prompt, values)

    def _quote(self, source: str, text: str, room: int) -> str:
        """Return a text with a sign before each line, redacted, below a line that names its source."""
        lines = [f"> {line}" for line in plain(self.guard.redact_words(text)).split("\n")]
        quoted = "\n".join(lines)
        if len(quoted) > room:
            quoted = f"{quoted[:room].rpartition(chr(10))[0] or quoted[:room]}\n{_CUT}"
        return f"Untrusted text ({' '.join(plain(source).split())[: _HEADING - 100]}):\n{quoted}"
