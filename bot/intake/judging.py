"""Judging a message: what the rules say of it in its surroundings, written to the journal.

Called by `intake/watcher`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.decide.surroundings import Surroundings

if TYPE_CHECKING:
    from bot.decide.classifier import Classifier
    from bot.desks import Threads
    from bot.models.classification import Classification
    from bot.models.context import Context
    from bot.models.message import Message
    from bot.ports import Clock, Journal


@dataclass(frozen=True, kw_only=True)
class Judging:
    """`classified` is the journal of judgements."""

    classified: Journal
    threads: Threads
    clock: Clock
    _surroundings: Surroundings = field(default_factory=Surroundings)

    async def judge(self, message: Message, classifier: Classifier) -> Classification:
        """Judge a message, and once more when its thread was opened while the judgement was being written."""
        context, was_open = self._surroundings.context_of(message), self.threads.is_open(message.home)
        judged = await self._judged(message, classifier, context)
        if message.thread_id and not was_open and self._follows(message):
            judged = await self._judged(message, classifier, context)
        return judged

    async def _judged(self, message: Message, classifier: Classifier, context: Context) -> Classification:
        classification = classifier.classify(
            message,
            thread_is_open=self.threads.is_open(message.home),
            at=self.clock.now(),
            context=context._replace(follows_up=self._follows(message)),
        )
        await self.classified.append({**message.model_dump(mode="json"), **classification.model_dump(mode="json")})
        return classification

    def _follows(self, message: Message) -> bool:
        return self.threads.concerns(message.home, message.sender.id)
