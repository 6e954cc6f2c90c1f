"""Records of the conversations: in memory the newest state of each, on disk the same.

Used by `assistant/conversations` alone.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.models.talk import Talk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.ports import Clock, Talks

KNOWN = 5_000
"""So many conversations are remembered; the one that was still for longest is forgotten first."""


@dataclass(kw_only=True)
class TalkRecords:
    """All of them, by the id of their thread."""

    talks: Talks
    clock: Clock
    _known: dict[str, Talk] = field(default_factory=dict)
    _saving: dict[str, asyncio.Lock] = field(default_factory=dict)

    async def load(self) -> Iterable[Talk]:
        """Know what is on disk."""
        for talk in await self.talks.all():
            self._known[talk.conversation] = talk
        return self.all

    @property
    def all(self) -> tuple[Talk, ...]:
        """Those that are known, the one that was saved last at the end."""
        return tuple(self._known.values())

    def get(self, conversation: str) -> Talk | None:
        """The newest state of one that is known."""
        return self._known.get(conversation)

    def of(self, conversation: str) -> Talk:
        """The same, or a new one."""
        return self.get(conversation) or Talk(conversation=conversation, saved_at=self.clock.now())

    def put(self, talk: Talk) -> None:
        """Count on this state, which is on disk already or is not to be."""
        self._known[talk.conversation] = talk

    async def keep(self, talk: Talk) -> None:
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
