"""Code block: lines of foreign text that cannot end it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.commands.search import escape_line

if TYPE_CHECKING:
    from collections.abc import Sequence


def code_line(line: str) -> str:
    """Escape a line for a code block, so that it cannot end the block."""
    return escape_line(line).replace("```", "'''")


def code_block(lines: Sequence[str]) -> str:
    """Return lines of `code_line` as one block."""
    return "\n".join(("```", *lines, "```"))
