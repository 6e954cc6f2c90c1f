"""A talk with the chat agent: its lines as the agent takes them, what was said in Slack, and where it is said.

Read by `chat/history` and `chat/agent`.
"""

from __future__ import annotations

from typing import Literal

from bot.models.fact import Fact
from bot.models.viewed_page import Page


class ChatLine(Fact):
    """One side's turn. Lines of a history stand in turn, a user's first (`chat/history`)."""

    role: Literal["user", "assistant"]
    content: str


class ChatMessage(Fact):
    """One message of a thread or a direct message: the asker's, or the bot's own. Nobody else's ever comes this far."""

    ts: str
    """Slack's, which also orders them."""
    author_name: str
    """The name that people know them by."""
    is_bot: bool
    """True if Triage itself said it."""
    text: str


class ChatContext(Fact):
    """Where a talk takes place, as far as the agent needs to know: names of projects and channels."""

    project: str | None = None
    """The active project of this conversation."""
    channel_project: str | None = None
    """The project that this channel belongs to."""
    page: Page | None = None
    """The channel that whoever asks looks at, in a direct message."""
    notes_thread_of: str | None = None
    """The project whose notes are taken in this thread."""
