"""Lost people: operators to whom no question can be given, until they can be again."""

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
"""How often a message is tried to somebody to whom Slack refuses them."""


@dataclass(kw_only=True)
class LostPeople:
    """Looks at the operators."""

    slack: SlackAccess
    losses: Losses
    operators: Operators
    clock: Clock
    _changed: set[str] = field(default_factory=set)
    """The operators whose accounts changed."""
    _refused: dict[str, str] = field(default_factory=dict)
    """The people whom a card did not reach, with Slack's word."""
    _written_to: dict[str, datetime] = field(default_factory=dict)
    """When somebody was last written to who may be back, though Slack had refused a card to them."""

    def refused(self, user: str, code: str) -> None:
        """Note that a card did not reach its operator, for good."""
        self._refused[user] = code

    def changed(self, user: str) -> bool:
        """Note that somebody's account changed; says whether that matters."""
        if user not in self.operators.everyone():
            return False
        self._changed.add(user)
        return True

    async def look(self) -> None:
        """Whom a card did not reach is lost at once; whoever was lost may be back."""
        for user in [*self._changed]:
            await self.operators.look_at(user)
            self._changed.discard(user)
        for loss in self.losses.of_kind("person"):
            if loss.subject not in self._refused and await self._is_back(loss):
                await self.losses.over(loss)
        for user in self.operators.gone:
            if self.losses.of(user) is None:
                self._refused.setdefault(user, "")
        for user, code in [*self._refused.items()]:
            if known := self.losses.of(user):
                await self.losses.changed(known)  # a question came to them meanwhile
            else:
                await self.losses.found(Loss(kind="person", subject=user, at=self.clock.now(), code=code))
            self._refused.pop(user, None)

    async def _is_back(self, loss: Loss) -> bool:
        """Return whether somebody can be given a question again: where a card was refused, a message must have been
        taken."""
        user = loss.subject
        try:
            if await self.operators.is_back(user) and await self.slack.open_dm(user, anew=True):
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
