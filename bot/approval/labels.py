"""Labels: people's corrections of message classes in `labels.ndjson`, looked up by message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bot.models.label import WITHDRAWN, Why, label_record

if TYPE_CHECKING:
    from bot.models.classification import Class
    from bot.models.message import Message
    from bot.ports.outbound import Clock, Journal


@dataclass(frozen=True, kw_only=True)
class Labels:
    """Reader and writer of labels. `journal` is `labels.ndjson`."""

    journal: Journal
    clock: Clock

    async def say(self, message: Message, label: Class, *, by: str, why: Why, interaction_id: str) -> None:
        """Write a user's label of a message, unless the same label of theirs already counts."""
        standing = (await self.labels_of(message.chat_id, message.message_id)).get(by)
        if standing is None or standing["label"] != label or standing["message"].get("content") != message.content:
            await self._write(message, label, by=by, why=why, interaction_id=interaction_id)

    async def take_back(self, message: Message, *, by: str, why: Why, interaction_id: str) -> bool:
        """Withdraw a user's label of a message; return whether there was one of this kind."""
        standing = (await self.labels_of(message.chat_id, message.message_id)).get(by)
        if standing is None or standing.get("why") != why:
            return False
        await self._write(message, WITHDRAWN, by=by, why=why, interaction_id=interaction_id)
        return True

    async def labels_of(self, chat_id: str, message_id: str) -> dict[str, dict[str, Any]]:
        """Return the labels of a message that count, by user, the newest last."""
        standing: dict[str, dict[str, Any]] = {}
        async for record in self.journal.records():
            match record:
                case {"message": {"chat_id": channel, "message_id": ts}, "by": str(by), "label": str(label)} if (
                    channel,
                    ts,
                ) == (chat_id, message_id):
                    standing.pop(by, None)
                    if label != WITHDRAWN:
                        standing[by] = record
        return standing

    async def _write(
        self, message: Message, label: Class | Literal["withdrawn"], *, by: str, why: Why, interaction_id: str
    ) -> None:
        at = self.clock.now()
        await self.journal.append(label_record(message, label, by=by, at=at, why=why, interaction_id=interaction_id))
