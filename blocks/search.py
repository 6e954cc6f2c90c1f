"""A search that found no answer, in two lines: what was looked for, and what came nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.evidence import with_button
from blocks.text import Block, clip, escape, section

if TYPE_CHECKING:
    from bot.models.thread import Thread

_NEAREST = 3


def searched(thread: Thread, limit: int) -> list[Block]:
    """The two lines, in place of a draft; the first has at most so many characters of the reason."""
    findings = thread.investigator_return
    if findings is None:
        return []
    where = f" in {escape(thread.project)}" if thread.project else ""
    why = escape(clip(findings.confidence_reason, max(limit, 120)))
    refs = [f"`{escape(clip(each.ref, 100)).replace('`', ' ')}`" for each in thread.references[:_NEAREST]]
    near = f"Nearest, perhaps about something else: {', '.join(refs)}." if refs else "No place comes near."
    return [with_button(thread, section(f"*Nothing found{where} that answers this.* {why}\n{near}"))]
