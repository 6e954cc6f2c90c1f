"""Lines of a text file as agents see them: redacted, without invisible characters, each cut at `MAX_LINE`.

The tools show these lines, and the evidence check compares quotes with them, so that both always agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from prompts.envelope import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.redaction.redactor import Redactor

MAX_LINE = 1_000
"""Maximum characters of one line."""


def show_lines(lines: Sequence[str], redactor: Redactor) -> tuple[str, ...]:
    """Return the lines of a whole text as an agent sees them; their number stays the same."""
    return cut_lines(plain_lines(redact_lines(lines, redactor)))


def redact_lines(lines: Sequence[str], redactor: Redactor) -> tuple[str, ...]:
    """Redact the lines of a whole text together, since a key may span lines."""
    return tuple(redactor.redact("\n".join(lines)).split("\n")) if lines else ()


def plain_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Return lines as they are inside an envelope, uncut."""
    return tuple(plain("\n".join(lines)).split("\n")) if lines else ()


def cut_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """Cut plain lines at the maximum length."""
    return plain_lines([cut_line(line) for line in lines])  # plain again: a cut may end inside a spelling


def cut_line(line: str) -> str:
    """Cut a line at the maximum length."""
    return line if len(line) <= MAX_LINE else f"{line[:MAX_LINE]}…"
