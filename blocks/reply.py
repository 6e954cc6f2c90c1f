"""A draft's text as the message that will be posted: `rich_text` built by code.

Only text, code, lists and quotes are ever built, so a draft can express no mention, no broadcast and no link. Called
by `triage/drafts`; the card shows these same blocks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from blocks.text import Block, escape, preformatted, rich, size, span
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

_PART = re.compile(r"^(?P<fence>`{3,})[^\n`]*\n(?P<code>.*?)\n?^(?P=fence)[ \t]*$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`(?P<code>[^`\n]+)`|\*\*(?P<bold>[^*\n]+)\*\*|(?<!\w)_(?P<italic>[^_\n]+)_(?!\w)")
_BULLET = re.compile(r"^\s*[-*•] +(?P<text>.*)$")
_NUMBER = re.compile(r"^\s*\d{1,3}[.)] +(?P<text>.*)$")
_QUOTED = re.compile(r"^> ?(?P<text>.*)$")


MAX_BLOCKS_CHARS = 7_000
"""Characters of JSON that a reply's blocks may take, since its card must show them too and Slack bounds a message."""


def reply(text: str) -> dict[str, Any]:
    """The `text` and `blocks` of `chat.postMessage` for a draft; one of too many pieces is shown as plain text."""
    blocks = [rich(*_elements(clean(text)))]
    if size(blocks) > MAX_BLOCKS_CHARS:
        blocks = [rich({"type": "rich_text_section", "elements": [span(text)]})]
    return {"text": escape(text), "blocks": blocks}


def _elements(text: str) -> Iterator[Block]:
    """Paragraphs, lists, quotes and fenced code, in order; never none."""
    at, count = 0, 0
    for fence in _PART.finditer(text):
        for element in _prose(text[at : fence.start()]):
            count += 1
            yield element
        count += 1
        yield preformatted(fence["code"])
        at = fence.end()
    rest = list(_prose(text[at:]))
    yield from rest if rest or count else [_paragraph(" ")]


def _prose(text: str) -> Iterator[Block]:
    lines = text.strip("\n").split("\n")
    while lines:
        kind, taken = _run(lines)
        lines = lines[len(taken) :]
        if kind == "text":
            words = "\n".join(taken).strip("\n")
            if words.strip():
                yield _paragraph(words)
        elif kind == "quote":
            yield {"type": "rich_text_quote", "elements": list(_spans("\n".join(taken)))}
        else:
            items = [{"type": "rich_text_section", "elements": list(_spans(item))} for item in taken]
            yield {"type": "rich_text_list", "style": kind, "elements": items}


def _run(lines: list[str]) -> tuple[str, list[str]]:
    """The kind of the first line, and the text of it and of the lines after it that are of one kind."""
    for kind, pattern in (("bullet", _BULLET), ("ordered", _NUMBER), ("quote", _QUOTED)):
        taken = []
        for line in lines:
            if not (match := pattern.match(line)):
                break
            taken.append(match["text"])
        if taken:
            return kind, taken
    taken = []
    for line in lines:
        if taken and any(pattern.match(line) for pattern in (_BULLET, _NUMBER, _QUOTED)):
            break
        taken.append(line)
    return "text", taken


def _paragraph(text: str) -> Block:
    return {"type": "rich_text_section", "elements": [*_spans(text), {"type": "text", "text": "\n"}]}


def _spans(text: str) -> Iterator[Block]:
    at = 0
    for match in _INLINE.finditer(text):
        if match.start() > at:
            yield span(text[at : match.start()])
        style = match.lastgroup or "code"
        yield span(match[style], **{style: True})
        at = match.end()
    if at < len(text) or not text:
        yield span(text[at:])
