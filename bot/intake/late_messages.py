"""Late messages: an order that comes late is read from Slack again, since its author may have edited or deleted it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.intake.record import read
from bot.models.message import Deletion, Message

if TYPE_CHECKING:
    from bot.ports.outbound import Clock
    from bot.ports.slack import History

log = logging.getLogger(__name__)

LATE = timedelta(seconds=3)
"""Age from which a message is late: Slack has sent it again, or it waited here."""
TOO_LATE = timedelta(minutes=10)
"""Age from which no order is executed."""
PATIENCE = 10.0
"""Timeout in seconds for Slack's answer; without one the text of the event counts."""


@dataclass(frozen=True, kw_only=True)
class LateMessages:
    """Reader of late messages."""

    history: History
    clock: Clock

    async def read_again(self, message: Message) -> Message | None:
        """Return a late message as its author last wrote it, the same object if unchanged; `None` if it was deleted."""
        is_late = LATE < self.clock.now() - message.create_time < TOO_LATE
        return await self._read_now(message) if is_late else message

    async def was_revised(self, message: Message) -> bool:
        """Return whether a message was edited or deleted since its event."""
        return await self._read_now(message) is not message

    async def _read_now(self, message: Message) -> Message | None:
        try:
            async with asyncio.timeout(PATIENCE):
                raw = await self.history.message(channel=message.chat_id, ts=message.message_id)
        except (TriageError, TimeoutError) as problem:
            log.warning("the message %s could not be read again: %s", message.message_id, problem)
            return message
        if raw is None:
            return None
        event = {**raw, "type": "message", "channel": message.chat_id}
        body = {"type": "event_callback", "team_id": message.team_id, "event": event}
        current = read(body, chat_names={message.chat_id: message.chat_name}, team=message.team_id).payload
        if not isinstance(current, Message) or current.own_content == message.own_content:
            return message
        return as_rewritten(message, current)


def as_rewritten(message: Message, current: Message) -> Message:
    """Return a message as its author last wrote it, with the place and the author that its own event names."""
    return current.evolve(
        looks_at=message.looks_at,
        page=message.page,
        sender=message.sender,
        sender_team=message.sender_team,
        in_shared_channel=message.in_shared_channel,
    )


class EarlyRevisions:
    """Newest edits and deletions that came before the event of their message."""

    def __init__(self, capacity: int = 1_000) -> None:
        self._capacity = capacity
        self._newest: dict[tuple[str, str], Message | Deletion] = {}

    def keep(self, revised: Message | Deletion) -> None:
        """Keep the newest text of a message whose event has not come, or its deletion."""
        self._newest.pop(key := (revised.chat_id, revised.message_id), None)
        self._newest[key] = revised
        if len(self._newest) > self._capacity:
            del self._newest[next(iter(self._newest))]

    def take(self, message: Message) -> Message | None:
        """Return a message as its author last wrote it, the same object if unchanged; `None` if it was deleted."""
        revised = self._newest.pop((message.chat_id, message.message_id), message)
        if revised is message or isinstance(revised, Deletion):
            return message if revised is message else None
        return as_rewritten(message, revised)
