"""Records of conversations: the newest state of each, in memory and on disk."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from bot.models.conversation_record import ConversationRecord, message_of, root_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.message import Message
    from bot.ports.outbound import Clock, ConversationStore

FOLLOW_UP_WITHIN = timedelta(minutes=10)
"""Time after a message outside threads within which the same person's next one there continues it."""
MAX_FOLLOWED = 5
"""Number of such messages that are continued."""
MAX_CONVERSATIONS = 5_000
"""Number of conversations remembered; the least recently saved is dropped first."""


@dataclass(kw_only=True)
class ConversationRecords:
    """Conversations by the id of their thread."""

    store: ConversationStore
    clock: Clock
    _records: dict[str, ConversationRecord] = field(default_factory=dict)
    _saving: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def load(self) -> Iterable[ConversationRecord]:
        """Load the records from disk."""
        for record in await self.store.list_all():
            self._records[record.conversation] = record
        return self.conversations

    @property
    def conversations(self) -> tuple[ConversationRecord, ...]:
        """Return all records, the last saved one at the end."""
        return tuple(self._records.values())

    def get(self, conversation: str) -> ConversationRecord | None:
        """Return the newest state of a conversation, if it is known."""
        return self._records.get(conversation)

    def get_or_create(self, conversation: str) -> ConversationRecord:
        """Return the newest state of a conversation, or a new record."""
        return self.get(conversation) or ConversationRecord(conversation=conversation, saved_at=self.clock.now())

    def find_recent(self, message: Message) -> list[ConversationRecord]:
        """Return this person's recent conversations outside threads in this channel that were answered, oldest first.

        An ephemeral answer opens no thread, so nobody can reply to it in one.
        """
        if message.thread_id is not None:
            return []
        oldest = float(message.message_id) - FOLLOW_UP_WITHIN.total_seconds()
        answered = (
            record
            for record in reversed(self.conversations)
            if _was_answered_privately(record, message) and float(root_of(record.conversation)) >= oldest
        )
        return sorted(islice(answered, MAX_FOLLOWED), key=lambda record: root_of(record.conversation))

    def put(self, record: ConversationRecord) -> None:
        """Use this state from now on; it is on disk already or need not be."""
        self._records[record.conversation] = record

    async def save(self, record: ConversationRecord) -> None:
        """Use this state from now on, and have it on disk on return. Raises `RetryLater`."""
        home = record.conversation
        self._records.pop(home, None)
        self._records[home] = record.evolve(saved_at=self.clock.now())
        self._forget()
        async with self._saving.setdefault(home, asyncio.Lock()):
            await self.store.save(self._records[home])

    def _forget(self) -> None:
        for home in [*self._records][: max(0, len(self._records) - MAX_CONVERSATIONS)]:
            if not (self._records[home].turns or self._records[home].unsent):
                del self._records[home]
                self._saving.pop(home, None)


def _was_answered_privately(record: ConversationRecord, message: Message) -> bool:
    """Return whether the conversation began with this author's message in its channel and was answered to them
    alone."""
    opener = root_of(record.conversation)
    is_here = record.conversation.removesuffix(opener) == message.home.removesuffix(message.message_id)
    by_author = (message_of(each.turn_id) for each in record.shown if each.user == message.sender.id)
    return is_here and opener != message.message_id and opener in by_author
