"""The question as an agent reads it: the words, each person's where several spoke, and what was sent with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.contents import unread_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.findings import QuotedMessage
    from bot.tools.guard import Guard


def shown_question(guard: Guard, question: str, lines: Sequence[QuotedMessage], **about: str) -> str:
    """The question between marks, or each of its lines with its author; `about` is told of the whole."""
    if not lines:
        return guard.shown(question, source="slack", **about)
    return "\n\n".join(guard.shown(line.text, source="slack", author=line.by) for line in lines)


def sent_with(guard: Guard, *, shared: Sequence[str], unread: Sequence[str], advice: str) -> str:
    """Whose messages the question shares, and which files nobody has read, with the `advice` for that."""
    said = [f"It holds a shared message of {name}." for name in shared]
    if unread:
        said.append(f"{unread_line(unread)}. {advice}")
    return guard.shown("\n".join(said), source="slack") if said else "Nothing else was sent with it."
