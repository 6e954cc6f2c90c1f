"""Search without an answer, in short lines: the reason, what changed lately, and the nearest references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.evidence import with_button
from blocks.text import Block, clip, escape, section

if TYPE_CHECKING:
    from bot.models.thread import Thread

_NEAREST = 3
_CHANGE = 160
"""Characters of a commit."""


def build_search_result(thread: Thread, limit: int) -> list[Block]:
    """Build the lines in place of a draft, for an alert with its recent commits first.

    The reason has at most about `limit` characters.
    """
    findings = thread.investigator_return
    if findings is None:
        return []
    where = f" in {escape(thread.project)}" if thread.project else ""
    why = escape(clip(findings.confidence_reason, max(limit, 120)))
    changes = [each for each in thread.references if thread.alert and each.kind == "git_commit"]
    lines = [f"*Nothing found{where} that answers this.* {why}"]
    if changes:
        rows = (f"• {_code(each.supports_claim, _CHANGE)}" for each in changes[:_NEAREST])
        lines += ["*Changed lately in the code that the alert names:*", *rows]
    refs = [_code(each.ref, 100) for each in thread.references if each not in changes][:_NEAREST]
    nothing = [] if changes else ["No similar place was found."]
    lines += [f"Nearest, perhaps about something else: {', '.join(refs)}."] if refs else nothing
    return [with_button(thread, section("\n".join(lines)))]


def _code(text: str, limit: int) -> str:
    """Return words of others as code, in which nothing is markup."""
    return f"`{escape(clip(' '.join(text.split()), limit)).replace('`', ' ')}`"
