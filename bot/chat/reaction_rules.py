"""Rules for status reactions of chat: channels and emoji."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.conversation_record import is_direct

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from bot.models.status_reaction import ReactionState
    from bot.triage.controls import Controls


@dataclass(frozen=True, kw_only=True)
class ReactionRules:
    """`quiet` are channels without reactions, `names` the emoji."""

    controls: Controls
    quiet: Collection[str]
    names: Mapping[ReactionState, str]

    def allows(self, channel: str) -> bool:
        """Return whether a reaction may be put under messages of a channel."""
        return is_direct(channel) or (self.controls.modes.get(channel) == "live" and channel not in self.quiet)

    def failure(self, channel: str) -> str | None:
        """Return the emoji of a failure; `None` where a channel has no reactions."""
        return self.names.get("failure") if self.allows(channel) else None
