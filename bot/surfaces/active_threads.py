"""Where in a thread something may be shown to one person alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.thread import Thread
    from bot.ports.slack import History


async def active_thread(history: History, thread: Thread) -> str | None:
    """The thread's ts, if it has replies: in one that has none Slack shows nothing to one person alone."""
    if thread.original_message_id != thread.root_ts:
        return thread.root_ts
    replies = await history.replies_since(channel=thread.chat_id, thread_ts=thread.root_ts, oldest=thread.root_ts)
    return thread.root_ts if replies else None
