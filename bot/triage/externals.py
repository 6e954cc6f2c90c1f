"""External people and shared channels: lookup of an external asker or external readers of a question.

If Slack does not answer, the message's own event counts.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.information_flow import is_shared_externally
from bot.errors import TriageError
from bot.models.conversation_record import is_direct
from bot.models.external import External

if TYPE_CHECKING:
    from bot.models.external import ExternalPolicy
    from bot.models.message import Message
    from bot.models.thread import Thread
    from bot.ports.slack import Channels
    from bot.triage.membership import Membership

log = logging.getLogger(__name__)

PATIENCE = 3.0
"""Timeout in seconds for the lookup of a message's author."""


@dataclass(frozen=True, kw_only=True)
class Externals:
    """Lookup of external people. `policy` is `slack.external`."""

    members: Membership
    channels: Channels
    policy: ExternalPolicy
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Lock that keeps messages in order during the lookup."""

    async def find_external(self, message: Message) -> External | None:
        """Return the external author or readers of a message; members in unshared channels need no lookup."""
        if not (message.in_shared_channel or self._is_foreign(message)):
            return None
        async with self._turn:
            return self._build_external(asker=await self._is_by_external(message), channel=message.in_shared_channel)

    async def find_external_in_history(self, message: Message) -> External | None:
        """Return the same for a message from a history, which does not tell whether its channel is shared."""
        return await self.find_external(
            message.evolve(in_shared_channel=await self.has_external_readers(message.chat_id))
        )

    async def of_thread(self, thread: Thread) -> External | None:
        """Return the external asker or readers of a thread's question now."""
        if is_direct(thread.chat_id):
            return None
        recorded = thread.external
        is_shared = await self.has_external_readers(thread.chat_id, default=recorded is not None and recorded.channel)
        asker = thread.original_sender_id
        if not (is_shared or recorded) or not asker.startswith(("U", "W")):
            return self._build_external(asker=False, channel=is_shared)
        is_external = await self._is_external(asker, otherwise=recorded.asker if recorded else is_shared)
        return self._build_external(asker=is_external, channel=is_shared)

    async def has_external_readers(self, channel: str, *, default: bool = False) -> bool:
        """Return whether external people read a channel now; `default` if Slack does not answer."""
        try:
            async with asyncio.timeout(PATIENCE):
                return is_shared_externally(await self.channels.channel(channel))
        except (TriageError, TimeoutError) as problem:
            log.warning("who reads %s is not known: %s", channel, problem or "Slack does not answer")
            return default

    def _is_foreign(self, message: Message) -> bool:
        """Return whether a message's event names another workspace or organisation as its author's."""
        return message.sender_team not in ("", message.team_id, self.members.enterprise_id)

    async def _is_by_external(self, message: Message) -> bool:
        if message.sender.type != "user":
            return self._is_foreign(message)
        if message.sender_team and not self._is_foreign(message):
            return False
        return await self._is_external(message.sender.id, otherwise=True)

    async def _is_external(self, user: str, *, otherwise: bool) -> bool:
        try:
            async with asyncio.timeout(PATIENCE):
                return await self.members.is_external(user)
        except (TriageError, TimeoutError) as problem:
            log.warning("it is unknown whether %s is external: %s", user, problem or "Slack does not answer")
            return otherwise

    def _build_external(self, *, asker: bool, channel: bool) -> External | None:
        is_any = asker or channel
        return External(asker=asker, channel=channel, policy=self.policy) if is_any else None
