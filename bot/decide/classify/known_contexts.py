"""Contexts of the newest messages, each as it was when its message came first. Bounded, without a clock.

An edit, a second delivery or a reply that waited for its thread is judged where it stands, and adds nothing to what is
known around the messages after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.classify.thread_context import Surroundings

if TYPE_CHECKING:
    from bot.models.context import MessageContext
    from bot.models.line_message import Placed
    from bot.models.message import Message

REMEMBERED = 2_000
"""Messages whose context is remembered at least; twice as many at most."""


class KnownContexts:
    """The one way to `Surroundings`, for the bot and for the commands that judge as it does."""

    def __init__(self, surroundings: Surroundings | None = None, *, remembered: int = REMEMBERED) -> None:
        self.surroundings = surroundings or Surroundings()
        self._remembered = remembered
        self._newer: dict[tuple[str, str], MessageContext] = {}
        self._older: dict[tuple[str, str], MessageContext] = {}
        self._is_new = False
        """Whether the message that was asked for last adds to what is known."""

    def context_of(self, message: Message | Placed, *, for_help: bool = False) -> MessageContext:
        """Return what was known around a message before it; a message without an id is always new."""
        ts, self._is_new = message.message_id, True
        if not ts:
            return self.surroundings.context_of(message, for_help=for_help)
        key = message.chat_id, ts
        known = self._newer.get(key) or self._older.get(key)
        if known is None:
            known = self._newer[key] = self.surroundings.context_of(message, for_help=for_help)
            if len(self._newer) >= self._remembered:
                self._older, self._newer = self._newer, {}
        else:
            self._is_new = False
        return known

    def learn(self, message: Message | Placed, *, asks: bool, actionable: bool = False) -> None:
        """Note whether the message that was asked for last asks on its author's behalf."""
        if self._is_new:
            self.surroundings.learn(message, asks=asks, actionable=actionable)
