"""People's words on messages, `labels.ndjson`: written once each, and found again by the message."""

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
    """`journal` is the file."""

    journal: Journal
    clock: Clock

    async def say(self, message: Message, label: Class, *, by: str, why: Why, interaction_id: str) -> None:
        """Write what somebody says of a message, unless that is their word already."""
        standing = (await self.of(message.chat_id, message.message_id)).get(by)
        if standing is None or standing["label"] != label or standing["message"].get("content") != message.content:
            await self._write(message, label, by=by, why=why, interaction_id=interaction_id)

    async def take_back(self, message: Message, *, by: str, why: Why, interaction_id: str) -> bool:
        """Void somebody's word on a message; says whether there was one of this kind."""
        standing = (await self.of(message.chat_id, message.message_id)).get(by)
        if standing is None or standing.get("why") != why:
            return False
        await self._write(message, WITHDRAWN, by=by, why=why, interaction_id=interaction_id)
        return True

    async def of(self, chat_id: str, message_id: str) -> dict[str, dict[str, Any]]:
        """What stands of people's words on a message, by who said it, the newest last."""
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
