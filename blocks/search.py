"""Search without an answer, in two lines: the reason, and the nearest references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.evidence import with_button
from blocks.text import Block, clip, escape, section

if TYPE_CHECKING:
    from bot.models.thread import Thread

_NEAREST = 3


def build_search_result(thread: Thread, limit: int) -> list[Block]:
    """Build the two lines, in place of a draft; the reason has at most about `limit` characters."""
    findings = thread.investigator_return
    if findings is None:
        return []
    where = f" in {escape(thread.project)}" if thread.project else ""
    why = escape(clip(findings.confidence_reason, max(limit, 120)))
    refs = [f"`{escape(clip(each.ref, 100)).replace('`', ' ')}`" for each in thread.references[:_NEAREST]]
    near = f"Nearest, perhaps about something else: {', '.join(refs)}." if refs else "No similar place was found."
    return [with_button(thread, section(f"*Nothing found{where} that answers this.* {why}\n{near}"))]
