"""Dispatch of interactions by subject: cards, feedback on replies, message shortcuts, confirmations of commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.feedback import Complaint, Vote
from bot.models.pending_command import ConfirmationDialog, ConfirmationPress
from bot.models.shortcut import Shortcut

if TYPE_CHECKING:
    from bot.approval.corrections import Corrections
    from bot.approval.feedback import Feedback
    from bot.models.received_payload import Pressed, Submitted
    from bot.ports.inbound import Confirming, Desk, ReactionsPort


@dataclass(frozen=True, kw_only=True)
class Interactions:
    """Interaction handler; `approval` handles presses and dialogs of cards."""

    approval: Desk
    feedback: Feedback
    corrections: Corrections
    marks: ReactionsPort
    """Handler of askers' check marks."""
    confirming: Confirming

    @property
    def reactions(self) -> tuple[ReactionsPort, ...]:
        """Return the handlers of reactions."""
        return (self.corrections, self.marks)

    async def pressed(self, press: Pressed, *, replayed: bool = False) -> None:
        """Dispatch a press or a shortcut to its handler."""
        if isinstance(press, Vote):
            await self.feedback.voted(press, replayed=replayed)
        elif isinstance(press, Shortcut):
            await self.corrections.taken(press, replayed=replayed)
        elif isinstance(press, ConfirmationPress):
            await self.confirming.pressed(press, replayed=replayed)
        else:
            await self.approval.pressed(press, replayed=replayed)

    async def submitted(self, dialog: Submitted, *, replayed: bool = False) -> dict[str, str]:
        """Dispatch a dialog to its handler; return the errors to show in it, by `block_id`."""
        if isinstance(dialog, Complaint):
            return await self.feedback.explained(dialog, replayed=replayed)
        if isinstance(dialog, ConfirmationDialog):
            return await self.confirming.submitted(dialog, replayed=replayed)
        return await self.approval.submitted(dialog, replayed=replayed)
