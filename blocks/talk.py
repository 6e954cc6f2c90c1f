"""What the chat agent says, as a message: `rich_text` built by code, and a line below it that names the door.

Only text, code, lists, quotes and links into Slack's own workspace are built, so it can express no mention and no
broadcast; any other address is shown as code. Called by `assistant/voice`.
"""

from __future__ import annotations

import re
from typing import Any

from blocks.pieces import pieces
from blocks.reply import reply
from blocks.text import Block, context, escape, section

LONGEST = 3_000
"""Characters of one message of an answer; a longer text is several."""

_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)
_LABELLED = re.compile(r"<(https?://[^\s<>|]+)\|([^<>]*)>")
_ADDRESS = re.compile(r"<?(https?://[^\s<>`|\"')\]]*[^\s<>`|\"')\].,;:!?])>?")
_MARKED = re.compile(r"\*\*([^*\n]+)\*\*")
_BOLD = re.compile(r"(?<![\w*])\*([^*\s](?:[^*\n]*[^*\s])?)\*(?![\w*])")


def answers(text: str, *, url: str, footer: str = "") -> list[dict[str, Any]]:
    """The `text` and `blocks` of each message of an answer in the model's words.

    `url` is the workspace's address; `footer` are plain words below the last message.
    """
    made = [_answer(piece, url) for piece in pieces(text, LONGEST)]
    return [*made[:-1], _with_footer(made[-1], footer)]


def own_lines(mrkdwn: str, *, footer: str = "") -> list[dict[str, Any]]:
    """The same of what code says; its variable parts are escaped."""
    made = [{"text": piece, "blocks": [section(piece)]} for piece in pieces(mrkdwn, LONGEST)]
    return [*made[:-1], _with_footer(made[-1], footer)]


def _with_footer(message: dict[str, Any], footer: str) -> dict[str, Any]:
    foot: list[Block] = [context(escape(footer))] if footer else []
    return {"text": message["text"], "blocks": [*message["blocks"], *foot]}


def _answer(text: str, url: str) -> dict[str, Any]:
    own: dict[str, str] = {}

    def address(match: re.Match[str]) -> str:
        if match[1].startswith(url):
            own[match[1]] = match[1]
            return match[1]
        return f"`{match[1]}`"

    parts = _CODE.split(text)
    for at in range(0, len(parts), 2):  # what stands between pieces of code
        plain = _LABELLED.sub(r"\2 (\1)", parts[at])
        parts[at] = _BOLD.sub(r"**\1**", _ADDRESS.sub(address, plain))
    made = reply("".join(parts), own)
    notified = _MARKED.sub(r"*\1*", made["text"])  # what a notification shows is Slack's own form
    return {"text": notified, "blocks": made["blocks"]}
