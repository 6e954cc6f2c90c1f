"""Lost people: operators who cannot get questions at the moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from bot.errors import Refused, RetryLater
from bot.models.loss import Loss

if TYPE_CHECKING:
    from datetime import datetime

    from bot.ports.outbound import Clock
    from bot.ports.slack import SlackAccess
    from bot.triage.losses import Losses
    from bot.triage.operators import Operators

WRITTEN_AGAIN = timedelta(minutes=10)
"""Interval between attempts to message a user whom Slack does not deliver to."""


@dataclass(kw_only=True)
class LostPeople:
    """Checker of operators."""

    slack: SlackAccess
    losses: Losses
    operators: Operators
    clock: Clock
    _changed: set[str] = field(default_factory=set)
    """Operators whose accounts changed."""
    _refused: dict[str, str] = field(default_factory=dict)
    """Operators whose card Slack refused, with its error code."""
    _written_to: dict[str, datetime] = field(default_factory=dict)
    """Time of the last message attempt to each lost operator."""

    def note_refusal(self, user: str, code: str) -> None:
        """Note that Slack permanently refused an operator's card."""
        self._refused[user] = code

    def note_change(self, user: str) -> bool:
        """Note that a user's account changed; return whether they are an operator."""
        if user not in self.operators.everyone():
            return False
        self._changed.add(user)
        return True

    async def look(self) -> None:
        """Check the operators: record those whose card was refused as lost, and end the loss of those who are back."""
        for user in [*self._changed]:
            await self.operators.look_at(user)
            self._changed.discard(user)
        for loss in self.losses.of_kind("person"):
            if loss.subject not in self._refused and await self._is_back(loss):
                await self.losses.remove(loss)
        for user in self.operators.departed:
            if self.losses.loss_of(user) is None:
                self._refused.setdefault(user, "")
        for user, code in [*self._refused.items()]:
            if earlier := self.losses.loss_of(user):
                await self.losses.announce(earlier)  # a question came to them meanwhile
            else:
                await self.losses.add(Loss(kind="person", subject=user, at=self.clock.now(), code=code))
            self._refused.pop(user, None)

    async def _is_back(self, loss: Loss) -> bool:
        """Return whether an operator can get questions again; after a refused card only if a message is delivered."""
        user = loss.subject
        try:
            if await self.operators.is_back(user) and await self.slack.open_dm(user, refresh=True):
                return not loss.code or user not in self.operators.everyone() or await self._takes_messages(user)
        except Refused:
            self._written_to.pop(user, None)
        return False

    async def _takes_messages(self, user: str) -> bool:
        now = self.clock.now()
        last = self._written_to.get(user)
        if last and timedelta() <= now - last < WRITTEN_AGAIN:
            return False
        self._written_to[user] = now
        try:
            return await self.losses.notices.greet(user)
        except RetryLater:
            del self._written_to[user]
            raise
