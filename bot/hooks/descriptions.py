"""Descriptions of tasks: prompts of hooks with their variables filled in; events and output are marked as untrusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from bot.decide.hooks.syntax import format_step
from bot.decide.hooks.template import fill_template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.hook import Hook
    from bot.models.hook_record import HookCause
    from bot.tools.guard import Guard

ROOM = 12_000
"""Characters of a description."""
_MARKS = 400
"""Characters of the marks around one text."""
BY_HAND = "Nothing: a person fired the hook."


@dataclass(frozen=True, kw_only=True)
class Descriptions:
    """Writer of descriptions. `zone` is the time zone of the settings."""

    guard: Guard
    zone: str

    def write(self, hook: Hook, cause: HookCause, outputs: Sequence[str]) -> str:
        """Return the description of the task that a run creates."""
        local = cause.at.astimezone(ZoneInfo(self.zone))
        event = self.guard.wrap(cause.text, source=f"event: {cause.kind}") if cause.text else BY_HAND
        room = (ROOM - len(hook.prompt) - len(event)) // max(1, len(outputs)) - _MARKS
        texts = [
            self.guard.wrap(output or "(no output)", source=format_step(step), max_chars=room)
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

    def write_title(self, hook: Hook, cause: HookCause) -> str:
        """Return the title of that task: the name of the hook, with day and time."""
        return f"{hook.name}, {cause.at.astimezone(ZoneInfo(self.zone)):%Y-%m-%d %H:%M}"
