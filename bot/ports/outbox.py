"""Protocol of the outbox: messages of a conversation that are kept until Slack has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bot.models.talk import Shown, Unsent


class Outbox(Protocol):
    """What is to be posted yet, on disk."""

    async def keep(self, conversation: str, unsent: list[Unsent]) -> bool:
        """Keep messages, in place of those with the same nonce; says whether the disk took them."""

    async def begin(self, conversation: str, unsent: Unsent) -> bool:
        """Keep what is to be said should nothing else follow, and hold it back in this process; whether it is kept."""

    def release(self, nonce: str) -> None:
        """Hold it back no longer."""

    def holds(self, conversation: str, nonce: str) -> bool:
        """Return whether this very message is on record."""

    async def sent(self, conversation: str, *nonces: str) -> None:
        """Keep these no more: they stand there. Raises nothing."""

    async def intend(self, conversation: str, unsent: list[Unsent], shown: Shown) -> bool:
        """Keep an answer for its asker alone before it is shown; says whether the disk took it."""

    async def withdraw(self, conversation: str, turn_id: str) -> None:
        """Keep no more what nobody is to read any more of a turn, for its asker alone. Raises nothing."""

    def has(self, conversation: str, turn_id: str) -> bool:
        """Return whether an answer of a turn is on record: shown to its asker alone, or posted later."""

    async def noted(self, conversation: str, said: str) -> None:
        """Keep what a command that waits for a press has come to. Raises `RetryLater`."""

    def later(self, conversation: str) -> None:
        """Post later what is kept of a conversation."""
