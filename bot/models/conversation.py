"""Conversation with the chat agent: the agent's history, the Slack messages, and their context."""

from __future__ import annotations

from typing import Literal

from bot.models.fact import Fact
from bot.models.viewed_page import Page


class ChatLine(Fact):
    """One side's turn. Turns of a history alternate, starting with a user's (`chat/history`)."""

    role: Literal["user", "assistant"]
    content: str


class ChatMessage(Fact):
    """One message of a thread or a direct message, by the asker or the bot. Messages of others are left out."""

    ts: str
    """Slack's timestamp; it also gives the order."""
    author_name: str
    """The display name."""
    is_bot: bool
    """True if Triage itself wrote it."""
    text: str


class ChatContext(Fact):
    """The context of a conversation for the agent: names of projects and channels."""

    project: str | None = None
    """The active project of this conversation."""
    channel_project: str | None = None
    """The project that this channel belongs to."""
    page: Page | None = None
    """The channel that the user is viewing, in a direct message."""
    notes_thread_of: str | None = None
    """The project whose notes are taken in this thread."""
