"""Slack names: names of the people and channels whose ids a question contains, looked up with a short timeout.

A name that is not found in time is looked up again in each run of the question; until then it reads *somebody*.
"""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.models.markup import SOMEBODY
from bot.models.thread_event import Edited

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bot.models.thread import Thread
    from bot.models.thread_event import Deleted, MessageAdded, Overheard
    from bot.ports.inbound import Threads
    from bot.ports.slack import Channels, Chat

log = logging.getLogger(__name__)

SECONDS = 2.0
"""Timeout in seconds for a message's names."""
MAX_NAMES = 20
"""Maximum of names looked up for a message."""
REMEMBERED = 1_000
"""Channel names cached."""

_DIALOG_OPENS = 1.0
"""Timeout in seconds for names in a dialog, which must open within three seconds of the press."""
_USER = re.compile(r"[UW][A-Z0-9]+")
_CHANNEL = re.compile(r"C[A-Z0-9]+")


@dataclass(frozen=True, kw_only=True)
class SlackNames:
    """Lookup of names. Private channels get none, since others than their members read cards."""

    chat: Chat
    channels: Channels
    seconds: float = SECONDS
    _rooms: dict[str, str] = field(default_factory=dict)

    async def names(self, names_by_id: Mapping[str, str]) -> dict[str, str]:
        """Return the ids with their names, empty where Slack gives none in time."""
        unknown = [each for each, name in names_by_id.items() if not name][:MAX_NAMES]
        names = await asyncio.gather(*map(self._name, unknown))
        return {**names_by_id, **dict(zip(unknown, names, strict=True))}

    async def thread(self, thread: Thread) -> Thread:
        """Return the thread with the names that its question needs."""
        asker = thread.original_sender_id
        names = await self.names({asker: "", **thread.names})
        return thread.evolve(names=names, original_sender_name=names[asker] or thread.original_sender_name or SOMEBODY)

    async def _name(self, each: str) -> str:
        try:
            async with asyncio.timeout(self.seconds):
                if _USER.fullmatch(each):
                    name = await self.chat.user_name(each)
                    return "" if name == each else name
                return await self._room(each) if _CHANNEL.fullmatch(each) else ""
        except (TriageError, TimeoutError) as problem:
            log.warning("the name of %s is unknown: %s", each, problem or "Slack took too long")
            return ""

    async def _room(self, channel: str) -> str:
        if channel not in self._rooms:
            description = await self.channels.channel(channel)
            while len(self._rooms) >= REMEMBERED:
                del self._rooms[next(iter(self._rooms))]
            self._rooms[channel] = "" if description.get("is_private") else str(description.get("name") or "")[:80]
        return self._rooms[channel]


@dataclass(frozen=True, kw_only=True)
class NamedThreads:
    """`Threads` that adds the names of people and channels to each message."""

    threads: Threads
    naming: SlackNames

    def is_open(self, thread_id: str) -> bool:
        """Return whether this thread has work outstanding."""
        return self.threads.is_open(thread_id)

    def is_asker(self, thread_id: str, sender_id: str) -> bool:
        """Return whether this person asked the question of this thread."""
        return self.threads.is_asker(thread_id, sender_id)

    def find_thread(self, channel: str, ts: str) -> str | None:
        """Return the thread that this message joined, if known."""
        return self.threads.find_thread(channel, ts)

    async def add(self, thread_id: str, message: MessageAdded | Overheard) -> bool:
        """Hand a message with its names to its thread; return whether it changed anything."""
        original = message.message
        named = original.evolve(names=await self.naming.names(original.known_names))
        return await self.threads.add(thread_id, replace(message, message=named))

    async def revise(self, thread_id: str, revision: Edited | Deleted) -> bool:
        """Hand an edit with its names, or a deletion, to its thread; return whether it changed anything."""
        if isinstance(revision, Edited):
            original = revision.message
            revision = replace(revision, message=original.evolve(names=await self.naming.names(original.known_names)))
        return await self.threads.revise(thread_id, revision)


async def named_people(people: Chat, users: Sequence[str]) -> dict[str, str]:
    """Return the names of people by id; the id itself if Slack gives none in time for a dialog."""
    names = dict.fromkeys(users, "")

    async def ask(user: str) -> None:
        names[user] = await people.user_name(user)

    with suppress(TimeoutError):
        async with asyncio.timeout(_DIALOG_OPENS):
            await asyncio.gather(*map(ask, users), return_exceptions=True)
    return {user: name or user for user, name in names.items()}
