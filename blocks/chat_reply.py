"""Chat agent's answers as messages: `rich_text` and tables built by code, and a footer that names the addressee.

Only text, code, lists, quotes, tables, links into Slack's own workspace, and mentions of people that code named to the
model are built: an answer can express no broadcast, and any other address is shown as code.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from blocks.inserts import CODE, Inserts
from blocks.reply import MARK, reply
from blocks.tables import MarkdownTable, parts
from blocks.text import Block, context, escape, section, size
from blocks.text_pieces import pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blocks.inserts import Readers

LONGEST = 3_000
"""Characters of one message of an answer; a longer text becomes several."""
MAX_BLOCKS = 11_000
"""Characters of JSON for the words of one message."""
SHORTEST = 250
"""Characters below which no text is split further to shrink its blocks."""

_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_PRIVATE = str.maketrans("", "", "\ue000\ue001")


def answers(
    text: str, readers: Readers, *, before: str = "", after: str = "", footer: str = ""
) -> list[dict[str, Any]]:
    """Build the `text` and `blocks` of each message of an answer by the model.

    `before` is mrkdwn by code above the first message, `after` below the last one; `footer` is plain text.
    """
    messages = [*_messages(text.translate(_PRIVATE), readers, LONGEST)]
    if before:
        first = messages[0]
        messages[0] = {"text": f"{before}\n{first['text']}", "blocks": [section(before), *first["blocks"]]}
    if after:
        last = messages[-1]
        messages[-1] = {"text": f"{last['text']}\n{after}", "blocks": [*last["blocks"], section(after)]}
    return [*messages[:-1], _with_footer(messages[-1], footer)]


def own_lines(mrkdwn: str, *, footer: str = "") -> list[dict[str, Any]]:
    """Build the messages for mrkdwn by code, whose variable parts are escaped."""
    messages = [{"text": piece, "blocks": [section(piece)]} for piece in pieces(mrkdwn, LONGEST)]
    return [*messages[:-1], _with_footer(messages[-1], footer)]


def _with_footer(message: dict[str, Any], footer: str) -> dict[str, Any]:
    foot: list[Block] = [context(escape(footer))] if footer else []
    return {"text": message["text"], "blocks": [*message["blocks"], *foot]}


def _messages(text: str, readers: Readers, longest: int) -> Iterator[dict[str, Any]]:
    """Yield the messages of a text; one whose blocks are too large is split, and keeps its form."""
    for piece in pieces(text, longest):
        message = _answer(piece, readers, max_chars=sys.maxsize)
        if size(message["blocks"]) <= MAX_BLOCKS:
            yield message
        elif longest > SHORTEST:
            yield from _messages(piece, readers, _shorter_length(piece, size(message["blocks"]), longest))
        else:
            yield _answer(piece, readers, max_chars=MAX_BLOCKS)


def _answer(text: str, readers: Readers, *, max_chars: int) -> dict[str, Any]:
    inserts = Inserts(readers)
    with_marks = "".join(inserts.mark_elements(part, is_code=at % 2 == 1) for at, part in enumerate(CODE.split(text)))
    blocks: list[Block] = []
    for part in parts(with_marks):
        if isinstance(part, MarkdownTable):
            blocks.append(part.block(inserts.elements))
        else:
            blocks += reply(part, inserts=inserts.elements, max_chars=max_chars)["blocks"]
    notified = MARK.sub(lambda mark: inserts.texts.get(mark[0], ""), escape(with_marks)) or " "
    return {"text": _BOLD.sub(r"*\1*", notified), "blocks": blocks}  # a notification uses Slack's markup


def _shorter_length(piece: str, chars: int, longest: int) -> int:
    """Return the maximal length of the parts of a piece whose blocks are too large, so that they are about equal."""
    lines = [len(line) + 1 for line in piece.split("\n")]
    room = sum(lines[:2]) + max(lines)  # each part of a table repeats its head and ends with a whole row
    even = len(piece) // (chars // int(MAX_BLOCKS * 0.9) + 1) + room
    return max(SHORTEST, min(even, longest * 2 // 3))
