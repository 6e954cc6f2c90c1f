"""Who acts on what a person does: a press or a dialog on a card, a thumb under a reply, a shortcut on a message, a
command that is confirmed."""

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
    """A `FrontDesk`; `approval` is the desk of what is done on cards."""

    approval: Desk
    feedback: Feedback
    corrections: Corrections
    marks: ReactionsPort
    """Check marks of askers."""
    confirming: Confirming

    @property
    def reactions(self) -> tuple[ReactionsPort, ...]:
        """Those that give an emoji a meaning."""
        return (self.corrections, self.marks)

    async def pressed(self, press: Pressed, *, replayed: bool = False) -> None:
        """Hand on what needs no answer."""
        if isinstance(press, Vote):
            await self.feedback.voted(press, replayed=replayed)
        elif isinstance(press, Shortcut):
            await self.corrections.taken(press, replayed=replayed)
        elif isinstance(press, ConfirmationPress):
            await self.confirming.pressed(press, replayed=replayed)
        else:
            await self.approval.pressed(press, replayed=replayed)

    async def submitted(self, dialog: Submitted, *, replayed: bool = False) -> dict[str, str]:
        """Hand on a dialog; the answer is the errors to show in it, by `block_id`."""
        if isinstance(dialog, Complaint):
            return await self.feedback.explained(dialog, replayed=replayed)
        if isinstance(dialog, ConfirmationDialog):
            return await self.confirming.submitted(dialog, replayed=replayed)
        return await self.approval.submitted(dialog, replayed=replayed)
