"""Terminal text: lines wrapped between words."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.plain_lines import PlainLine

_INDENT = "  "


def wrap_line(line: PlainLine, width: int) -> list[str]:
    """Wrap a line between words; its further lines are indented."""
    if line.is_code or len(line.text) <= width:
        return [line.text]
    wrapped = textwrap.wrap(
        line.text,
        width,
        subsequent_indent=_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )
    return wrapped or [line.text]
