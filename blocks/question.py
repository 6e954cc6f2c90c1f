"""The question as its asker wrote it, with what stands beside the words: whose message was shared, what nobody read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import Block, clip, context, escape, quote
from bot.models.contents import unread_line

if TYPE_CHECKING:
    from bot.models.thread import Thread

_NAMES = 300


def asked(thread: Thread, limit: int) -> list[Block]:
    """The question in at most `limit` characters, word for word, and a line on what else was sent with it."""
    said = []
    if thread.shared:
        said.append(f"Holds a shared message of {', '.join(thread.shared)}")
    if thread.unread:
        said.append(unread_line(thread.unread))
    line = escape(clip(". ".join(said), _NAMES))
    return [quote(clip(thread.question, limit)), *([context(f"{line}.")] if line else [])]
