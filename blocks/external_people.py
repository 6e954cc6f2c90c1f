"""External people around a question, as its card and the lists of questions show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import Block, clip, context, escape, person

if TYPE_CHECKING:
    from bot.models.thread import Thread

_NAMES = 200


def describe_outsiders(thread: Thread) -> str:
    """Say that one of them asks, or that they read the channel; empty if there are none."""
    if thread.external is None:
        return ""
    if thread.external.asker:
        return f"Asked by {person(thread.original_sender_name)} of another company"
    return "" if thread.external.is_cut else "This channel is shared with another company"


def first_line(thread: Thread) -> list[Block]:
    """Build the same as the first line of a card."""
    label = describe_outsiders(thread)
    return [context(f"*{label}*")] if label else []


def line_start(thread: Thread) -> str:
    """Format the same as the beginning of a line."""
    label = describe_outsiders(thread)
    return f"*{label}* · " if label else ""


def kept_back(thread: Thread) -> str:
    """Name the projects that were not searched because of them; empty if there are none."""
    names = thread.external.kept_back if thread.external else ()
    named = escape(clip(", ".join(names), _NAMES))
    return f"*Not searched:* {named}, which people of another company may not see." if names else ""
