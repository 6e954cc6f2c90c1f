"""Classification of a message in its thread context, written to the journal."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bot.decide.classify.channel_memory import BOT_AUTHOR
from bot.decide.classify.known_contexts import KnownContexts
from bot.decide.classify.recalled_context import LEARNED_FROM, own_reply, restore_context
from bot.models.external import LEFT_ALONE

if TYPE_CHECKING:
    from datetime import datetime

    from bot.decide.addressing.addressee import Addressee
    from bot.decide.classify.channel_memory import Place
    from bot.decide.classify.classifier import Classifier
    from bot.models.classification import Class, Classification
    from bot.models.context import MessageContext
    from bot.models.message import Message
    from bot.ports.inbound import Threads
    from bot.ports.outbound import Clock, Journal


log = logging.getLogger(__name__)

JUST_NOW = timedelta(minutes=10)
"""Time after a reply in which the asker's next message in the channel may answer it."""


@dataclass(frozen=True)
class ClassifiedMessage:
    """Classification of a message, before it is written to the journal."""

    message: Message
    classification: Classification
    context: MessageContext
    was_open: bool
    """True if its thread had work outstanding."""
    place: Place = ""
    """Position relative to the bot's reply in its thread; empty outside threads."""
    is_left_alone: bool = False
    """True if it is not taken up, whatever its class, since its author is external."""

    @cached_property
    def record(self) -> dict[str, Any]:
        """Return the journal record."""
        below = {"place": self.place} if self.place else {}
        alone = {"left_alone": LEFT_ALONE} if self.is_left_alone else {}
        fields = self.message.model_dump(mode="json")
        return {**fields, **self.classification.record(), **below, **alone}


@dataclass(frozen=True, kw_only=True)
class MessageClassifier:
    """Classifier of messages in context. `classified` and `replies` are the journals of its results and of replies."""

    classified: Journal
    replies: Journal | None = None
    threads: Threads
    clock: Clock
    _contexts: KnownContexts = field(default_factory=KnownContexts)

    def classify(self, message: Message, classifier: Classifier, *, is_left_alone: bool = False) -> ClassifiedMessage:
        """Classify a message in its thread context; `is_left_alone` marks one that is never taken up."""
        for_help = classifier.is_for_help(message.chat_id, message.chat_name)
        place = self._contexts.thread_context.place_of(message.home, message.sender.id) if message.thread_id else ""
        context = self._contexts.context_of(message, for_help=for_help)
        was_open = self.threads.is_open(message.home)
        judged = self._classify(message, classifier, context)
        if not judged.is_ack_or_emoji:
            self._contexts.learn(message, asks=judged.wants, actionable=judged.classification == "actionable")
        return ClassifiedMessage(message, judged, context, was_open, place, is_left_alone)

    def note_reply(self, channel: str, thread: str, ts: str) -> None:
        """Note a reply of the bot in a thread; noting it again has no effect."""
        self._contexts.context_of(own_reply(channel, thread, ts))

    def has_just_replied(self, home: str, message: Message) -> bool:
        """Return whether a thread's newest message is the bot's, within `JUST_NOW` before this message."""
        by, at = self._contexts.thread_context.last_activity(home) or (None, message.create_time)
        return by == BOT_AUTHOR and timedelta() <= message.create_time - at < JUST_NOW

    async def recall(self) -> None:
        """Restore the thread contexts from the journals after a start."""
        try:
            replies = await self.replies.tail(LEARNED_FROM) if self.replies else []
            judged = await self.classified.tail(LEARNED_FROM)
            self._contexts.thread_context.adopt(await asyncio.to_thread(restore_context, judged, replies))
        except Exception:
            log.exception("the journal could not be read for who answers where")

    async def write(self, judgement: ClassifiedMessage, classifier: Classifier, *, joined: str | None) -> Class:
        """Write a classification and the thread that its message joins, if any; return the class.

        The message is classified again if its thread was opened during the write.
        """
        message = judgement.message
        await self.classified.append({**judgement.record, **({"joined": joined} if joined else {})})
        if joined or judgement.was_open or not message.thread_id or not self._follows_asker(message):
            return judgement.classification.classification
        reclassified = replace(judgement, classification=self._classify(message, classifier, judgement.context))
        if reclassified.classification.reasons != judgement.classification.reasons:  # else the journal has it already
            await self.classified.append(reclassified.record)
        return reclassified.classification.classification

    async def record_joined(self, record: dict[str, Any], home: str) -> None:
        """Record that a message belongs to a question that came after it."""
        await self.classified.append({**record, "classified_at": self.clock.now().isoformat(), "joined": home})

    def _classify(self, message: Message, classifier: Classifier, context: MessageContext) -> Classification:
        follows = self._follows_asker(message)
        if follows:  # a start has forgotten who opened the thread
            by_asker = context.by_asker or context.is_reply
            context = context._replace(follows_up=True, by_asker=by_asker, asked_nothing=False)
        is_open, now = self.threads.is_open(message.home), self.clock.now()
        return classifier.classify(message, thread_is_open=is_open, at=now, context=context)

    def _follows_asker(self, message: Message) -> bool:
        return self.threads.is_asker(message.home, message.sender.id)


CHAT = "chat"
"""Value of `door` in the journal for a message to the chat agent; an order has `command`."""


def build_addressee_record(
    message: Message, classifier: Classifier, addressee: Addressee, *, at: datetime
) -> dict[str, Any]:
    """Build the journal record of a message to the bot that is not a question."""
    judged = classifier.classify(message, thread_is_open=False, at=at)
    return {
        **message.model_dump(mode="json"),
        **judged.record(),
        "classification": "ambient",
        "door": "command" if addressee.to == "command" else CHAT,
        "door_why": addressee.why,
    }
