"""Whether a message may hold text of others: what its author pasted, quoted or forwarded is not their own word.

Pure; asked by `models/message` of a new message, and by `assistant/remembering` of those before it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_TYPED = 600
"""Characters of a message from which on it is taken for a paste: few people type more to a bot."""
MOST_LINES = 8
"""Lines of the same."""
DEEPEST = 8

_QUOTED = re.compile(r"^[ \t]*(?:>|&gt;)", re.MULTILINE)
_FOREIGN = frozenset({"rich_text_quote", "rich_text_preformatted"})


def is_pasted(event: dict[str, Any]) -> bool:
    """Whether a message in Slack's own shape has something attached, a quote, a code block, or more than one types."""
    said = event.get("text")
    text = said if isinstance(said, str) else ""
    return (
        bool(event.get("attachments") or event.get("files"))
        or len(text) > LONGEST_TYPED
        or text.count("\n") >= MOST_LINES
        or "```" in text
        or _QUOTED.search(text) is not None
        or not _FOREIGN.isdisjoint(_kinds(event.get("blocks"), 0))
    )


def _kinds(value: Any, depth: int) -> Iterator[str]:
    """The kinds of all elements; what is nested deeper than Slack does counts as a quote."""
    if depth > DEEPEST:
        yield "rich_text_quote"
        return
    for each in value if isinstance(value, list) else ():
        if isinstance(each, dict):
            yield str(each.get("type"))
            yield from _kinds(each.get("elements"), depth + 1)
