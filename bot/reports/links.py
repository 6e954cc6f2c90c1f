"""Links of reports to messages."""

from __future__ import annotations

from blocks.text import escape


def link_question(url: str, chat: str, ts: str, root: str) -> str:
    """Return the address of a message, within its thread unless it is the first one, escaped."""
    where = f"{url.rstrip('/')}/archives/{chat}/p{ts.replace('.', '')}"
    return escape(where if ts == root else f"{where}?thread_ts={root}&cid={chat}")
