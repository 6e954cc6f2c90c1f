"""What the chat agent says, as messages: `rich_text` and tables built by code, and a line below that names the door.

Text, code, lists, quotes, tables, links into Slack's own workspace, and mentions of those whom code has named to the
model are built, nothing else: it can express no broadcast, and any other address is shown as code. Called by
`assistant/voice`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any

from blocks.pieces import pieces
from blocks.reply import MARK, reply
from blocks.tables import Table, parts
from blocks.text import Block, context, escape, section
from bot.models.markup import SOME_GROUP, SOMEBODY, SOMEWHERE, dated

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 3_000
"""Characters of one message of an answer; a longer text is several."""
MAX_BLOCKS = 11_000
"""Characters of JSON that the words of one message may take."""

_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)
_ADDRESSES = re.compile(
    r"<(?P<slack>https?://[^\s<>|]+)\|(?P<slack_label>[^<>]*)>"
    r"|\[(?P<label>[^\[\]\n]+)\]\((?P<target>https?://[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)\)"
    r"|<?(?P<bare>https?://[^\s<>`|\"')\]]*[^\s<>`|\"')\].,;:!?])>?"
)
_SLACKS_OWN = re.compile(r"<(?P<sigil>[@#!])(?P<target>[^<>|]*)(?:\|(?P<shown>[^<>]*))?>")
_MARKED = re.compile(r"\*\*([^*\n]+)\*\*")
_BOLD = re.compile(r"(?<![\w*])\*([^*\s](?:[^*\n]*[^*\s])?)\*(?![\w*])")
_PRIVATE = str.maketrans("", "", "\ue000\ue001")


@dataclass(frozen=True, kw_only=True)
class Readers:
    """What texts of the model are read with: the workspace's address, who was named to it, the reader's clock."""

    url: str
    given: Mapping[str, str] = field(default_factory=dict)
    """The ids of people and channels by `@name` and `#name`, as code has told them to the model."""
    zone: tzinfo = UTC


def answers(text: str, readers: Readers, *, before: str = "", footer: str = "") -> list[dict[str, Any]]:
    """The `text` and `blocks` of each message of an answer in the model's words.

    `before` is mrkdwn of code's own above the first message, `footer` plain words below the last one.
    """
    made = [_answer(piece, readers) for piece in pieces(text.translate(_PRIVATE), LONGEST)]
    if before:
        first = made[0]
        made[0] = {"text": f"{before}\n{first['text']}", "blocks": [section(before), *first["blocks"]]}
    return [*made[:-1], _with_footer(made[-1], footer)]


def own_lines(mrkdwn: str, *, footer: str = "") -> list[dict[str, Any]]:
    """The same of what code says; its variable parts are escaped."""
    made = [{"text": piece, "blocks": [section(piece)]} for piece in pieces(mrkdwn, LONGEST)]
    return [*made[:-1], _with_footer(made[-1], footer)]


def _with_footer(message: dict[str, Any], footer: str) -> dict[str, Any]:
    foot: list[Block] = [context(escape(footer))] if footer else []
    return {"text": message["text"], "blocks": [*message["blocks"], *foot]}


def _answer(text: str, readers: Readers) -> dict[str, Any]:
    inserts = _Inserts(readers)
    marked = "".join(inserts.marked(part, is_code=at % 2 == 1) for at, part in enumerate(_CODE.split(text)))
    blocks: list[Block] = []
    for part in parts(marked):
        if isinstance(part, Table):
            blocks.append(part.block(inserts.elements))
        else:
            blocks += reply(part, inserts=inserts.elements, most=MAX_BLOCKS)["blocks"]
    notified = MARK.sub(lambda mark: inserts.texts.get(mark[0], ""), escape(marked)) or " "
    return {"text": _MARKED.sub(r"*\1*", notified), "blocks": blocks}  # a notification has Slack's own form


class _Inserts:
    """The elements that code builds for a text, and what stands for each in a notification."""

    def __init__(self, readers: Readers) -> None:
        self.elements: dict[str, Block] = {}
        self.texts: dict[str, str] = {}
        self._readers = readers
        names = sorted(readers.given, key=len, reverse=True)
        self._names = re.compile(rf"(?<![\w@#])(?:{'|'.join(map(re.escape, names))})(?![\w-])") if names else None

    def marked(self, part: str, *, is_code: bool) -> str:
        """`part` with marks for elements, and in the form of Markdown that `reply` reads."""
        if is_code:
            return part
        plain = dated(part, self._readers.zone)
        plain = _ADDRESSES.sub(self._address, plain)
        plain = _SLACKS_OWN.sub(self._slacks_own, plain)
        if self._names:
            plain = self._names.sub(lambda match: self._mention(self._readers.given[match[0]]), plain)
        return _BOLD.sub(r"**\1**", plain)

    def _address(self, match: re.Match[str]) -> str:
        """A link into the workspace; any other address as code, where a person sees it and can press nothing."""
        url = match["slack"] or match["target"] or match["bare"]
        label = (match["slack_label"] or match["label"] or "").strip() or url
        if not url.startswith(self._readers.url):
            return f"`{url}`" if label == url else f"{label} (`{url}`)"
        shown = f"<{escape(url)}>" if label == url else f"<{escape(url)}|{escape(label).replace('|', ' ')}>"
        return self._insert({"type": "link", "url": url, "text": label}, shown)

    def _slacks_own(self, match: re.Match[str]) -> str:
        """A mark that Slack acts on: a mention where code has named them to the model, else words."""
        sigil, target = match["sigil"], match["target"]
        if sigil != "!" and target in self._readers.given.values():
            return self._mention(target)
        if shown := (match["shown"] or "").lstrip("@#"):
            return f"{sigil.replace('!', '@')}{shown}"
        if sigil == "!":
            return f"@{SOME_GROUP if target.startswith('subteam') else target.partition('^')[0]}"
        return f"@{SOMEBODY}" if sigil == "@" else f"#{SOMEWHERE}"

    def _mention(self, target: str) -> str:
        if target.startswith("C"):
            return self._insert({"type": "channel", "channel_id": target}, f"<#{target}>")
        return self._insert({"type": "user", "user_id": target}, f"<@{target}>")

    def _insert(self, element: Block, text: str) -> str:
        mark = f"\ue000{len(self.elements)}\ue001"
        self.elements[mark], self.texts[mark] = element, text
        return mark
