"""Threads in which Slack shows ephemeral messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.ports.slack import History


async def active_thread(history: History, thread: Thread) -> str | None:
    """Return the thread's ts if it has replies: in a thread without replies Slack shows no ephemeral message."""
    if thread.original_message_id != thread.root_ts:
        return thread.root_ts
    replies = await history.replies_since(channel=thread.chat_id, thread_ts=thread.root_ts, oldest=thread.root_ts)
    return thread.root_ts if replies else None
