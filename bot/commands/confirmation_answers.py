"""Presses on Confirm or Cancel: answers after which nothing is done, the asker, and the history told of outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from bot.commands.buttons import REPLACED as REPLACED_LINE
from bot.commands.command import CommandAnswer
from bot.commands.subjects import say_what_shows
from bot.models.interaction import Asker
from bot.models.pending_command import ConfirmationPress

if TYPE_CHECKING:
    from bot.commands.command import CommandSpec
    from bot.models.pending_command import Confirmation, Confirmed

UNKNOWN = CommandAnswer(
    outcome="expired", line="This confirmation is no longer known, and nothing was done. Please ask again."
)
EXPIRED = CommandAnswer(
    outcome="expired", line="This has expired after 15 minutes; nothing was done. Please ask again."
)
NOT_YOURS = CommandAnswer(outcome="refused", line="Only the person who asked for this can confirm or cancel it.")
ALREADY_DONE = CommandAnswer(outcome="refused", line="This was confirmed already; nothing is done twice.")
ALREADY_CANCELLED = CommandAnswer(
    outcome="refused", line="This was cancelled already; nothing was done. Please ask again."
)
REPLACED = CommandAnswer(outcome="refused", line=REPLACED_LINE)
CANCELLED = CommandAnswer(outcome="cancelled", line="Cancelled; nothing was done.")
CUT_OFF = CommandAnswer(
    outcome="failed",
    line="This was confirmed, but Triage was restarted while doing it. Please check how far it got.",
)
ANSWERS_BY_STATE = {
    "open": EXPIRED,
    "expired": EXPIRED,
    "taken": ALREADY_DONE,
    "cancelled": ALREADY_CANCELLED,
    "replaced": REPLACED,
}
"""Text that replaces leftover buttons, by the confirmation's state."""


class ConversationHistory(Protocol):
    """History of conversations with the chat agent."""

    async def record_outcome(self, conversation: str, text: str) -> None:
        """Add the outcome of a chat agent's command to a conversation. Raises `RetryLater`."""


def describe_cut_off(spec: CommandSpec | None) -> CommandAnswer:
    """Return `CUT_OFF` with the command that shows how far it got."""
    return CUT_OFF.evolve(line=f"{CUT_OFF.line.rstrip('.')}: {say_what_shows(spec)}.")


def build_asker(waiting: Confirmation | None, press: Confirmed) -> Asker:
    """Return the presser as asker, in the place where the command was given."""
    channel = press.channel_id if isinstance(press, ConfirmationPress) else press.user_id
    presser = {"interaction_id": press.interaction_id, "team_id": press.team_id, "user_id": press.user_id}
    if waiting is None:
        return Asker(**presser, channel_id=channel, via="chat")
    return waiting.asker.evolve(**presser)
