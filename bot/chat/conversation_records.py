"""Records of conversations: the newest state of each, in memory and on disk."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from bot.models.talk import TalkRecord, message_of, root_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.message import Message
    from bot.ports.outbound import Clock, ConversationStore

GOES_ON = timedelta(minutes=10)
"""Time after a message outside threads within which the same person's next one there continues it."""
GOES_ON_WITH = 5
"""Number of such messages that are continued."""
KNOWN = 5_000
"""Number of conversations remembered; the least recently saved is dropped first."""


@dataclass(kw_only=True)
class TalkRecords:
    """Conversations by the id of their thread."""

    talks: ConversationStore
    clock: Clock
    _known: dict[str, TalkRecord] = field(default_factory=dict)
    _saving: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def load(self) -> Iterable[TalkRecord]:
        """Load the records from disk."""
        for talk in await self.talks.all():
            self._known[talk.conversation] = talk
        return self.all

    @property
    def all(self) -> tuple[TalkRecord, ...]:
        """Return all records, the last saved one at the end."""
        return tuple(self._known.values())

    def get(self, conversation: str) -> TalkRecord | None:
        """Return the newest state of a conversation, if it is known."""
        return self._known.get(conversation)

    def of(self, conversation: str) -> TalkRecord:
        """Return the newest state of a conversation, or a new record."""
        return self.get(conversation) or TalkRecord(conversation=conversation, saved_at=self.clock.now())

    def just_before(self, message: Message) -> list[TalkRecord]:
        """Return this person's recent conversations outside threads in this channel that were answered, oldest first.

        An ephemeral answer opens no thread, so nobody can reply to it in one.
        """
        if message.thread_id is not None:
            return []
        oldest = float(message.message_id) - GOES_ON.total_seconds()
        told = (
            talk for talk in reversed(self.all) if _told(talk, message) and float(root_of(talk.conversation)) >= oldest
        )
        return sorted(islice(told, GOES_ON_WITH), key=lambda talk: root_of(talk.conversation))

    def put(self, talk: TalkRecord) -> None:
        """Use this state from now on; it is on disk already or need not be."""
        self._known[talk.conversation] = talk

    async def keep(self, talk: TalkRecord) -> None:
        """Use this state from now on, and have it on disk on return. Raises `RetryLater`."""
        home = talk.conversation
        self._known.pop(home, None)
        self._known[home] = talk.evolve(saved_at=self.clock.now())
        self._forget()
        async with self._saving.setdefault(home, asyncio.Lock()):
            await self.talks.save(self._known[home])

    def _forget(self) -> None:
        for home in [*self._known][: max(0, len(self._known) - KNOWN)]:
            if not (self._known[home].turns or self._known[home].unsent):
                del self._known[home]
                self._saving.pop(home, None)


def _told(talk: TalkRecord, message: Message) -> bool:
    """Return whether the conversation began with this author's message in its channel and was answered to them
    alone."""
    opener = root_of(talk.conversation)
    is_here = talk.conversation.removesuffix(opener) == message.home.removesuffix(message.message_id)
    by_author = (message_of(each.turn_id) for each in talk.shown if each.user == message.sender.id)
    return is_here and opener != message.message_id and opener in by_author
