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
from bot.models.conversation_record import MAX_EPHEMERAL_ANSWERS, PRESSES, PressOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat.conversation_records import ConversationRecords
    from bot.chat.reply_poster import ReplyPoster
    from bot.models.conversation_record import EphemeralAnswer, UnsentMessage
    from bot.ports.outbound import Clock

log = logging.getLogger(__name__)

FIRST_WAIT, LONGEST_WAIT = 10.0, 300.0
"""Seconds before the first attempt, and between later ones at most."""
MAX_AGE = timedelta(days=1)
"""Age from which an answer is dropped."""


@dataclass(kw_only=True)
class ConversationOutbox:
    """Outbox of all conversations."""

    poster: ReplyPoster
    records: ConversationRecords
    clock: Clock
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    """Running tasks."""
    _posting: set[str] = field(default_factory=set)
    _in_delivery: set[str] = field(default_factory=set)
    """Nonces of messages being sent at this moment."""

    async def save(self, conversation: str, unsent: list[UnsentMessage]) -> bool:
        """Save messages, replacing those with the same nonce; return whether the disk accepted them."""
        record = self.records.get_or_create(conversation)
        nonces = {message.nonce for message in unsent}
        others = [message for message in record.unsent if message.nonce not in nonces]
        try:
            await self.records.save(record.evolve(unsent=(*others, *unsent)))
        except RetryLater as problem:
            log.warning("an answer could not be kept: %s", problem)
            self.records.put(record)
            return False
        return True

    async def save_fallback(self, conversation: str, unsent: UnsentMessage) -> bool:
        """Save a message to send if no other answer follows, and hold it back in this process; return whether it is
        saved."""
        self._in_delivery.add(unsent.nonce)
        if await self.save(conversation, [unsent]):
            return True
        self.release(unsent.nonce)
        return False

    def release(self, nonce: str) -> None:
        """Stop holding a message back."""
        self._in_delivery.discard(nonce)

    def has_nonce(self, conversation: str, nonce: str) -> bool:
        """Return whether the message of this nonce is saved."""
        record = self.records.get(conversation)
        return record is not None and any(message.nonce == nonce for message in record.unsent)

    async def mark_sent(self, conversation: str, *nonces: str) -> None:
        """Remove delivered messages; if the disk fails, a later start searches for them or sends them again."""
        await self._remove(conversation, nonces)
        self._in_delivery.difference_update(nonces)

    async def save_ephemeral(self, conversation: str, unsent: list[UnsentMessage], ephemeral: EphemeralAnswer) -> bool:
        """Save an answer for its asker alone before it is shown; return whether the disk accepted it.

        From then on the next turn's history has it, as not delivered while a part is unsent.
        """
        record = self.records.get_or_create(conversation)
        try:
            await self.records.save(
                record.evolve(
                    unsent=(*record.unsent, *unsent), shown=(*record.shown, ephemeral)[-MAX_EPHEMERAL_ANSWERS:]
                )
            )
        except RetryLater as problem:
            log.warning("turn %s: what its asker is shown is on no disk: %s", ephemeral.turn_id, problem)
            self.records.put(record.evolve(shown=(*record.shown, ephemeral)[-MAX_EPHEMERAL_ANSWERS:]))
            return False
        return True

    async def withdraw(self, conversation: str, turn_id: str) -> None:
        """Remove a turn's unsent messages for its asker alone, which nobody needs any more. Raises nothing."""
        unsent = self.records.get_or_create(conversation).unsent
        over = [message.nonce for message in unsent if message.user and message.turn_id == turn_id]
        await self._remove(conversation, over, is_read=False)

    def has_answer(self, conversation: str, turn_id: str) -> bool:
        """Return whether an answer of a turn is recorded: shown to its asker alone, or still to be posted."""
        record = self.records.get(conversation)
        return record is not None and turn_id in {
            *(message.turn_id for message in record.unsent),
            *(message.turn_id for message in record.shown),
        }

    async def _remove(self, conversation: str, nonces: Sequence[str], *, is_read: bool = True) -> None:
        """Remove messages; unread ones are removed from the history too."""
        record = self.records.get_or_create(conversation)
        left = tuple(message for message in record.unsent if message.nonce not in nonces)
        if left == record.unsent:
            return
        unread = () if is_read else nonces
        ephemeral = tuple(message for message in record.shown if not any(map(message.holds, unread)))
        try:
            await self.records.save(record.evolve(unsent=left, shown=ephemeral))
        except RetryLater as problem:
            log.warning("an answer was posted, and not crossed out: %s", problem)

    async def save_outcome(self, conversation: str, text: str) -> None:
        """Save the outcome of a confirmation for the history. Raises `RetryLater`."""
        if record := self.records.get(conversation):
            press = PressOutcome(ts=f"{self.clock.now().timestamp():.6f}", said=text)
            await self.records.save(record.evolve(presses=(*record.presses, press)[-PRESSES:]))

    def post_later(self, conversation: str) -> None:
        """Start posting the saved messages of a conversation, without waiting."""
        record = self.records.get(conversation)
        if conversation in self._posting or record is None or not record.unsent:
            return
        self._posting.add(conversation)
        task = asyncio.create_task(self._post_all(conversation), name=f"outbox {conversation}")
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _post_all(self, conversation: str) -> None:
        try:
            wait = FIRST_WAIT
            while unsent := self._list_free(conversation):
                await self.clock.sleep(wait)
                if await self._try_post(conversation, unsent[0]):
                    await self.mark_sent(conversation, unsent[0].nonce)
                    wait = 0.0
                else:
                    wait = min(LONGEST_WAIT, max(FIRST_WAIT, wait * 2))
        finally:
            self._posting.discard(conversation)

    def _list_free(self, conversation: str) -> list[UnsentMessage]:
        """Return the saved messages of a conversation that are not being sent."""
        return [
            message
            for message in self.records.get_or_create(conversation).unsent
            if message.nonce not in self._in_delivery
        ]

    async def _try_post(self, conversation: str, unsent: UnsentMessage) -> bool:
        """Try to post once; return whether the message is posted, or never will be."""
        if self.clock.now() - unsent.kept_at > MAX_AGE:
            log.error("turn %s: its answer is dropped: for a day Slack did not take it", unsent.turn_id)
            return True
        try:
            await self.poster.deliver(conversation, unsent)
        except (RetryLater, Uncertain) as problem:
            log.warning("turn %s: its answer waits: %s", unsent.turn_id, problem)
            return False
        except TriageError as problem:
            log.error("turn %s: its answer cannot be posted: %s", unsent.turn_id, problem)
        return True
