"""Outbox port: messages of a conversation, stored until Slack has accepted them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.models.conversation_record import EphemeralAnswer, UnsentMessage


class Outbox(Protocol):
    """Messages still to be posted, on disk (`bot.chat.outbox.ConversationOutbox`)."""

    async def save(self, conversation: str, unsent: list[UnsentMessage]) -> bool:
        """Save messages, replacing those with the same nonce; return whether they are on disk."""

    async def save_fallback(self, conversation: str, unsent: UnsentMessage) -> bool:
        """Save the fallback reply of a turn and hold it back in this process; return whether it is on disk."""

    def release(self, nonce: str) -> None:
        """Stop holding back a message."""

    def has_nonce(self, conversation: str, nonce: str) -> bool:
        """Return whether the message with this nonce is stored."""

    async def mark_sent(self, conversation: str, *nonces: str) -> None:
        """Remove messages that Slack has accepted. Raises nothing."""

    async def save_ephemeral(self, conversation: str, unsent: list[UnsentMessage], ephemeral: EphemeralAnswer) -> bool:
        """Save an ephemeral answer before it is shown; return whether it is on disk."""

    async def withdraw(self, conversation: str, turn_id: str) -> None:
        """Remove the ephemeral answers of a turn that must not be shown any more. Raises nothing."""

    def has_answer(self, conversation: str, turn_id: str) -> bool:
        """Return whether an answer of a turn is stored, ephemeral or to be posted later."""

    async def save_outcome(self, conversation: str, text: str) -> None:
        """Save the result of a command that waited for confirmation. Raises `RetryLater`."""

    def post_later(self, conversation: str) -> None:
        """Schedule the stored messages of a conversation to be posted."""
