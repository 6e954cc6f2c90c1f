"""What the chat agent says, as a message: `rich_text` built by code, and a line below it that names the door.

Only text, code, lists, quotes and links into Slack's own workspace are built, so it can express no mention and no
broadcast; any other address is shown as code. Called by `assistant/voice`.
"""

from __future__ import annotations

import re
from typing import Any

from blocks.reply import reply
from blocks.text import clip, context, escape

LONGEST = 3_000
"""Characters of an answer."""

_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)
_LABELLED = re.compile(r"<(https?://[^\s<>|]+)\|([^<>]*)>")
_ADDRESS = re.compile(r"<?(https?://[^\s<>`|\"')\]]*[^\s<>`|\"')\].,;:!?])>?")
_MARKED = re.compile(r"\*\*([^*\n]+)\*\*")
_BOLD = re.compile(r"(?<![\w*])\*([^*\s](?:[^*\n]*[^*\s])?)\*(?![\w*])")


def answer(text: str, *, url: str, footer: str = "") -> dict[str, Any]:
    """The `text` and `blocks` of an answer; `url` is the workspace's address, `footer` plain words."""
    own: dict[str, str] = {}

    def address(match: re.Match[str]) -> str:
        if match[1].startswith(url):
            own[match[1]] = match[1]
            return match[1]
        return f"`{match[1]}`"

    parts = _CODE.split(clip(text, LONGEST))
    for at in range(0, len(parts), 2):  # what stands between pieces of code
        plain = _LABELLED.sub(r"\2 (\1)", parts[at])
        parts[at] = _BOLD.sub(r"**\1**", _ADDRESS.sub(address, plain))
    made = reply("".join(parts), own)
    notified = _MARKED.sub(r"*\1*", made["text"])  # what a notification shows is Slack's own form
    return {"text": notified, "blocks": [*made["blocks"], *([context(escape(footer))] if footer else [])]}
