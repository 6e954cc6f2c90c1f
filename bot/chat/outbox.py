"""Outbox of the chat: messages that Slack did not accept are saved and posted later, once and in order.

The thread is searched for the message before each attempt.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.errors import RetryLater, TriageError, Uncertain
from bot.models.talk import PRESSES, SHOWN, PressOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat.conversation_records import TalkRecords
    from bot.chat.reply_poster import Voice
    from bot.models.talk import Shown, Unsent
    from bot.ports.outbound import Clock

log = logging.getLogger(__name__)

FIRST_WAIT, LONGEST_WAIT = 10.0, 300.0
"""Seconds before the first attempt, and between later ones at most."""
LIFE = timedelta(days=1)
"""Age from which an answer is dropped."""


@dataclass(kw_only=True)
class TalkOutbox:
    """Outbox of all conversations."""

    voice: Voice
    records: TalkRecords
    clock: Clock
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    """Running tasks."""
    _posting: set[str] = field(default_factory=set)
    _held: set[str] = field(default_factory=set)
    """Nonces of messages being sent at this moment."""

    async def keep(self, conversation: str, unsent: list[Unsent]) -> bool:
        """Save messages, replacing those with the same nonce; return whether the disk accepted them."""
        talk = self.records.of(conversation)
        nonces = {one.nonce for one in unsent}
        others = [one for one in talk.unsent if one.nonce not in nonces]
        try:
            await self.records.keep(talk.evolve(unsent=(*others, *unsent)))
        except RetryLater as problem:
            log.warning("an answer could not be kept: %s", problem)
            self.records.put(talk)
            return False
        return True

    async def begin(self, conversation: str, unsent: Unsent) -> bool:
        """Save a message to send if no other answer follows, and hold it back in this process; return whether it is
        saved."""
        self._held.add(unsent.nonce)
        if await self.keep(conversation, [unsent]):
            return True
        self.release(unsent.nonce)
        return False

    def release(self, nonce: str) -> None:
        """Stop holding a message back."""
        self._held.discard(nonce)

    def holds(self, conversation: str, nonce: str) -> bool:
        """Return whether the message of this nonce is saved."""
        talk = self.records.get(conversation)
        return talk is not None and any(one.nonce == nonce for one in talk.unsent)

    async def sent(self, conversation: str, *nonces: str) -> None:
        """Remove delivered messages; if the disk fails, a later start searches for them or sends them again."""
        await self._without(conversation, nonces)
        self._held.difference_update(nonces)

    async def intend(self, conversation: str, unsent: list[Unsent], shown: Shown) -> bool:
        """Save an answer for its asker alone before it is shown; return whether the disk accepted it.

        From then on the next turn's history has it, as not delivered while a part is unsent.
        """
        talk = self.records.of(conversation)
        try:
            await self.records.keep(talk.evolve(unsent=(*talk.unsent, *unsent), shown=(*talk.shown, shown)[-SHOWN:]))
        except RetryLater as problem:
            log.warning("turn %s: what its asker is shown is on no disk: %s", shown.turn_id, problem)
            self.records.put(talk.evolve(shown=(*talk.shown, shown)[-SHOWN:]))
            return False
        return True

    async def withdraw(self, conversation: str, turn_id: str) -> None:
        """Remove a turn's unsent messages for its asker alone, which nobody needs any more. Raises nothing."""
        unsent = self.records.of(conversation).unsent
        over = [one.nonce for one in unsent if one.user and one.turn_id == turn_id]
        await self._without(conversation, over, is_read=False)

    def has(self, conversation: str, turn_id: str) -> bool:
        """Return whether an answer of a turn is recorded: shown to its asker alone, or still to be posted."""
        talk = self.records.get(conversation)
        return talk is not None and turn_id in {
            *(one.turn_id for one in talk.unsent),
            *(one.turn_id for one in talk.shown),
        }

    async def _without(self, conversation: str, nonces: Sequence[str], *, is_read: bool = True) -> None:
        """Remove messages; unread ones are removed from the history too."""
        talk = self.records.of(conversation)
        left = tuple(one for one in talk.unsent if one.nonce not in nonces)
        if left == talk.unsent:
            return
        unread = () if is_read else nonces
        shown = tuple(one for one in talk.shown if not any(map(one.holds, unread)))
        try:
            await self.records.keep(talk.evolve(unsent=left, shown=shown))
        except RetryLater as problem:
            log.warning("an answer was posted, and not crossed out: %s", problem)

    async def noted(self, conversation: str, said: str) -> None:
        """Save the outcome of a confirmation for the history. Raises `RetryLater`."""
        if talk := self.records.get(conversation):
            press = PressOutcome(ts=f"{self.clock.now().timestamp():.6f}", said=said)
            await self.records.keep(talk.evolve(presses=(*talk.presses, press)[-PRESSES:]))

    def later(self, conversation: str) -> None:
        """Start posting the saved messages of a conversation, without waiting."""
        talk = self.records.get(conversation)
        if conversation in self._posting or talk is None or not talk.unsent:
            return
        self._posting.add(conversation)
        task = asyncio.create_task(self._all(conversation), name=f"outbox {conversation}")
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _all(self, conversation: str) -> None:
        try:
            wait = FIRST_WAIT
            while unsent := self._free(conversation):
                await self.clock.sleep(wait)
                if await self._is_settled(conversation, unsent[0]):
                    await self.sent(conversation, unsent[0].nonce)
                    wait = 0.0
                else:
                    wait = min(LONGEST_WAIT, max(FIRST_WAIT, wait * 2))
        finally:
            self._posting.discard(conversation)

    def _free(self, conversation: str) -> list[Unsent]:
        """Return the saved messages of a conversation that are not being sent."""
        return [one for one in self.records.of(conversation).unsent if one.nonce not in self._held]

    async def _is_settled(self, conversation: str, unsent: Unsent) -> bool:
        """Try to post once; return whether the message is posted, or never will be."""
        if self.clock.now() - unsent.kept_at > LIFE:
            log.error("turn %s: its answer is dropped: for a day Slack did not take it", unsent.turn_id)
            return True
        try:
            await self.voice.deliver(conversation, unsent)
        except (RetryLater, Uncertain) as problem:
            log.warning("turn %s: its answer waits: %s", unsent.turn_id, problem)
            return False
        except TriageError as problem:
            log.error("turn %s: its answer cannot be posted: %s", unsent.turn_id, problem)
        return True
