"""Question as agents read it: the words, by author where several people wrote, and the attachments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.contents import unread_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.findings import QuotedMessage
    from bot.tools.guard import Guard


def shown_question(guard: Guard, question: str, lines: Sequence[QuotedMessage], **about: str) -> str:
    """Return the guarded question, or each of its lines with its author; `about` goes to the guard."""
    if not lines:
        return guard.shown(question, source="slack", **about)
    return "\n\n".join(guard.shown(line.text, source="slack", author=line.by) for line in lines)


def sent_with(guard: Guard, *, shared: Sequence[str], unread: Sequence[str], advice: str) -> str:
    """Return a note on shared messages and unread files, with `advice` for the latter."""
    said = [f"It holds a shared message of {name}." for name in shared]
    if unread:
        said.append(f"{unread_line(unread)}. {advice}")
    return guard.shown("\n".join(said), source="slack") if said else "Nothing else was sent with it."
