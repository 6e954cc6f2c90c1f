"""Faults of a draft, first on the card, and in the confirmation of Approve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import Block, clip, escape, section, text_object
from bot.models.faults import find_faults, list_to_confirm

if TYPE_CHECKING:
    from bot.models.thread import Thread

_CONFIRM_TEXT = 300
_MAX_FAULTS = 4


def build_fault_list(thread: Thread, limit: int) -> list[Block]:
    """List the faults, each cut to `limit` characters; empty without faults."""
    named = find_faults(thread)
    lines = [f"• {escape(clip(fault, max(limit, 120)))}" for fault in named[:_MAX_FAULTS]]
    rest = [f"and {len(named) - _MAX_FAULTS} more"] if len(named) > _MAX_FAULTS else []
    return [section("\n".join(["*Look at this first:*", *lines, *rest]))] if named else []


def build_confirmation(thread: Thread) -> Block | None:
    """Build the confirmation of Approve, which names external readers and faults; `None` if there are none."""
    named = list_to_confirm(thread)
    if not named:
        return None
    return {
        "title": text_object("Post it anyway?" if find_faults(thread) else "Post it where another company reads it?"),
        "text": {"type": "mrkdwn", "text": clip(escape(" ".join(named)), _CONFIRM_TEXT)},
        "confirm": text_object("Post It"),
        "deny": text_object("Go Back"),
        **({"style": "danger"} if find_faults(thread) else {}),
    }
