"""Cache of message contexts, each as it was when its message first arrived. Bounded, without a clock.

An edit, a second delivery or a reply that waited for its thread is classified in its original context, and adds nothing
to the context of later messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.decide.classify.thread_context import ThreadContext

if TYPE_CHECKING:
    from bot.models.context import MessageContext
    from bot.models.line_message import MessagePosition
    from bot.models.message import Message

REMEMBERED = 2_000
"""Minimum number of messages whose context is cached; the maximum is twice that."""


class KnownContexts:
    """Cached access to the thread context, for the bot and for commands that classify like it."""

    def __init__(self, thread_context: ThreadContext | None = None, *, remembered: int = REMEMBERED) -> None:
        self.thread_context = thread_context or ThreadContext()
        self._remembered = remembered
        self._newer: dict[tuple[str, str], MessageContext] = {}
        self._older: dict[tuple[str, str], MessageContext] = {}
        self._is_new = False
        """True if the latest requested message was new, and may be learnt from."""

    def context_of(self, message: Message | MessagePosition, *, for_help: bool = False) -> MessageContext:
        """Return the context of a message at its arrival; a message without an id is always new."""
        ts, self._is_new = message.message_id, True
        if not ts:
            return self.thread_context.context_of(message, for_help=for_help)
        key = message.chat_id, ts
        context = self._newer.get(key) or self._older.get(key)
        if context is None:
            context = self._newer[key] = self.thread_context.context_of(message, for_help=for_help)
            if len(self._newer) >= self._remembered:
                self._older, self._newer = self._newer, {}
        else:
            self._is_new = False
        return context

    def learn(self, message: Message | MessagePosition, *, asks: bool, actionable: bool = False) -> None:
        """Record if the latest requested message asks something for its author."""
        if self._is_new:
            self.thread_context.learn(message, asks=asks, actionable=actionable)
