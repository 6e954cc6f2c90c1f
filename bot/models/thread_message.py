"""A message of a thread, as its document keeps it."""

from __future__ import annotations

from bot.models.fact import Fact
from bot.models.message import Ts


class ThreadMessage(Fact):
    """A message of the people of this thread that belongs to the question."""

    message_id: Ts
    sender_id: str
    by_bot: bool = False
    """Whether a program wrote it; no in documents from before this was kept."""
    content: str
    round: int
    """Which question of the thread it belongs to: 1 for the first, one more each time a follow-up reopens it."""
    asks: str | None = None
    """What is searched for: `content` without mentions, channels, emoji, greetings and the bot's name; `None` in
    documents from before this was kept."""
    unread: tuple[str, ...] = ()
    """Its files, and parts of them, that nobody has read."""
    shared: tuple[str, ...] = ()
    """Whose messages were shared in it."""
