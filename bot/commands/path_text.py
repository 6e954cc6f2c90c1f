"""Text of paths and subjects of commits in an answer, as code spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import clip, escape
from bot.tools.names import make_legible

if TYPE_CHECKING:
    from collections.abc import Iterable


def escape_path(path: str) -> str:
    """Escape a path or a subject for a code span."""
    return escape(clip(make_legible(path), 200)).replace("`", "'")


def list_paths(paths: Iterable[str], limit: int) -> str:
    """Return the first paths as code spans, and the number of the others."""
    every = [*paths]
    rest = f" and {len(every) - limit} more" if len(every) > limit else ""
    return f"{', '.join(f'`{escape_path(path)}`' for path in every[:limit])}{rest}"
