"""Outbox port: messages of a conversation, stored until Slack has accepted them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.models.talk import Shown, Unsent


class Outbox(Protocol):
    """Messages still to be posted, on disk."""

    async def keep(self, conversation: str, unsent: list[Unsent]) -> bool:
        """Save messages, replacing those with the same nonce; return whether they are on disk."""

    async def begin(self, conversation: str, unsent: Unsent) -> bool:
        """Save the fallback reply of a turn and hold it back in this process; return whether it is on disk."""

    def release(self, nonce: str) -> None:
        """Stop holding back a message."""

    def holds(self, conversation: str, nonce: str) -> bool:
        """Return whether the message with this nonce is stored."""

    async def sent(self, conversation: str, *nonces: str) -> None:
        """Remove messages that Slack has accepted. Raises nothing."""

    async def intend(self, conversation: str, unsent: list[Unsent], shown: Shown) -> bool:
        """Save an ephemeral answer before it is shown; return whether it is on disk."""

    async def withdraw(self, conversation: str, turn_id: str) -> None:
        """Remove the ephemeral answers of a turn that must not be shown any more. Raises nothing."""

    def has(self, conversation: str, turn_id: str) -> bool:
        """Return whether an answer of a turn is stored, ephemeral or to be posted later."""

    async def noted(self, conversation: str, said: str) -> None:
        """Save the result of a command that waited for confirmation. Raises `RetryLater`."""

    def later(self, conversation: str) -> None:
        """Schedule the stored messages of a conversation to be posted."""
