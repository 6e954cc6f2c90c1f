"""The question as an agent reads it: one person's words, or those of several with who said which."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.findings import Spoken
    from bot.tools.guard import Guard


def shown_question(guard: Guard, question: str, lines: Sequence[Spoken], **about: str) -> str:
    """The question between marks, or each of its lines with its author; `about` is told of the whole."""
    if not lines:
        return guard.shown(question, source="slack", **about)
    return "\n\n".join(guard.shown(line.text, source="slack", author=line.by) for line in lines)
