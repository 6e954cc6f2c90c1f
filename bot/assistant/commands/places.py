"""Where in Slack: whose workspace a link leads to, and the addresses of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.assistant.commands.inputs import MessagePlace
    from bot.models.thread import Thread


def belongs_here(place: MessagePlace, url: str) -> bool:
    """Whether a link leads to a message of the workspace at `url`."""
    return place.origin.lower() == url.rstrip("/").lower()


def link_of(thread: Thread, url: str) -> str:
    """The address of a thread's question, in a workspace at `url`."""
    ts = thread.original_message_id
    where = f"{url.rstrip('/')}/archives/{thread.chat_id}/p{ts.replace('.', '')}"
    return where if ts == thread.root_ts else f"{where}?thread_ts={thread.root_ts}&cid={thread.chat_id}"
