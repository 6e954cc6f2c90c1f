"""Question as agents read it: the words, by author where several people wrote, and the attachments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.contents import unread_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.findings import QuotedMessage
    from bot.tools.guard import Guard


def render_question(guard: Guard, question: str, lines: Sequence[QuotedMessage], *, author: str = "") -> str:
    """Return the guarded question, or each of its lines with its author; `author` is the asker, if shown."""
    if not lines:
        return guard.wrap(question, source="slack", author=author)
    return "\n\n".join(guard.wrap(line.text, source="slack", author=line.by) for line in lines)


def render_attachments(guard: Guard, *, shared: Sequence[str], unread: Sequence[str], advice: str) -> str:
    """Return a note on shared messages and unread files, with `advice` for the latter."""
    lines = [f"It holds a shared message of {name}." for name in shared]
    if unread:
        lines.append(f"{unread_line(unread)}. {advice}")
    return guard.wrap("\n".join(lines), source="slack") if lines else "Nothing else was sent with it."
