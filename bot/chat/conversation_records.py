"""Records of the conversations: in memory the newest state of each, on disk the same."""

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
"""How long after a message beside all threads the next one of that person there goes on with it."""
GOES_ON_WITH = 5
"""With so many of them."""
KNOWN = 5_000
"""So many conversations are remembered; the one that was still for longest is forgotten first."""


@dataclass(kw_only=True)
class TalkRecords:
    """All of them, by the id of their thread."""

    talks: ConversationStore
    clock: Clock
    _known: dict[str, TalkRecord] = field(default_factory=dict)
    _saving: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def load(self) -> Iterable[TalkRecord]:
        """Know what is on disk."""
        for talk in await self.talks.all():
            self._known[talk.conversation] = talk
        return self.all

    @property
    def all(self) -> tuple[TalkRecord, ...]:
        """Those that are known, the one that was saved last at the end."""
        return tuple(self._known.values())

    def get(self, conversation: str) -> TalkRecord | None:
        """The newest state of one that is known."""
        return self._known.get(conversation)

    def of(self, conversation: str) -> TalkRecord:
        """The same, or a new one."""
        return self.get(conversation) or TalkRecord(conversation=conversation, saved_at=self.clock.now())

    def just_before(self, message: Message) -> list[TalkRecord]:
        """Return what this person was told a moment ago for messages beside all threads of this channel, oldest first.

        Nobody answers in a thread where nothing stands: what one alone sees has none below it.
        """
        if message.thread_id is not None:
            return []
        oldest = float(message.message_id) - GOES_ON.total_seconds()
        told = (
            talk for talk in reversed(self.all) if _told(talk, message) and float(root_of(talk.conversation)) >= oldest
        )
        return sorted(islice(told, GOES_ON_WITH), key=lambda talk: root_of(talk.conversation))

    def put(self, talk: TalkRecord) -> None:
        """Count on this state, which is on disk already or is not to be."""
        self._known[talk.conversation] = talk

    async def keep(self, talk: TalkRecord) -> None:
        """Count on this state from now on, and have the newest one on disk on return. Raises `RetryLater`."""
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
    """Return whether the talk was opened by this message's author in its channel, and answered to them alone."""
    opener = root_of(talk.conversation)
    is_here = talk.conversation.removesuffix(opener) == message.home.removesuffix(message.message_id)
    by_author = (message_of(each.turn_id) for each in talk.shown if each.user == message.sender.id)
    return is_here and opener != message.message_id and opener in by_author
