"""A draft's text as the message that will be posted: `rich_text` built by code.

Only text, code, lists, quotes and links to the evidence are ever built, so a draft can express no mention, no broadcast
and no link of its own. Called by `triage/drafts`; the card shows these same blocks.

A reply is always one message. Its card is one too and must show it whole, and no draft is longer than a dialog's input
can hold, which fits. One message is looked up by one nonce, and so posted once; parts, or a file, could stand there in
half.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

from blocks.lists import lists, taken
from blocks.text import Block, escape, preformatted, rich, size, span
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FENCED = re.compile(
    r"^(?P<pad>[ \t]*)(?P<fence>`{3,})[^\n`]*\n(?P<code>.*?)(?:\n?^[ \t]*(?P=fence)[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_INLINE = re.compile(r"`(?P<code>[^`\n]+)`|\*\*(?P<bold>[^*\n]+)\*\*|(?<!\w)_(?P<italic>[^_\n]+)_(?!\w)")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(?P<text>.*?)[ \t#]*$")
_RULE = re.compile(r"^ {0,3}(?P<mark>[-*_])(?:[ \t]*(?P=mark)){2,}[ \t]*$", re.MULTILINE)
_QUOTED = re.compile(r"^> ?(?P<text>.*)$")

MAX_BLOCKS_CHARS = 6_500
"""Characters of JSON that a reply's blocks may take, since its card must show them too and Slack bounds a message."""


def reply(text: str, links: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The `text` and `blocks` of `chat.postMessage` for a draft.

    `links` are addresses by reference: where the draft names one, it can be clicked. A draft of too many pieces loses
    its links first, then what else is inside its lines, such as bold, then lists and code.
    """
    seen = clean(text)
    blocks: list[Block] = []
    for written in (_Written(links or {}), _Written({}), _Written({}, inline=False)):
        blocks = [rich(*written.elements(seen))]
        if size(blocks) <= MAX_BLOCKS_CHARS:
            break
    else:
        blocks = [rich({"type": "rich_text_section", "elements": [span(seen)]})]
    return {"text": escape(seen) or " ", "blocks": blocks}


class _Written:
    """How a text becomes elements: with which links, and whether marks inside lines count."""

    def __init__(self, links: Mapping[str, str], *, inline: bool = True) -> None:
        self._links = {ref: url for ref, url in links.items() if ref.strip()}
        self._inline = inline
        named = "|".join(re.escape(ref) for ref in sorted(self._links, key=len, reverse=True))
        self._named = re.compile(rf"(?<![\w./-])(?:{named})(?![\w/]|[.:-]\w)") if named else None

    def elements(self, text: str) -> Iterator[Block]:
        """Paragraphs, lists, quotes and fenced code, in order; never none."""
        at, count = 0, 0
        for fence in _FENCED.finditer(text):
            before = list(self._prose(text[at : fence.start()]))
            yield from before
            yield preformatted(textwrap.dedent(fence["code"]) if fence["pad"] else fence["code"])
            count += len(before) + 1
            at = fence.end()
        rest = list(self._prose(text[at:]))
        yield from rest if rest or count else [self._paragraph(" ")]

    def _prose(self, text: str) -> Iterator[Block]:
        """Headings, lists, quotes and paragraphs; a rule is a blank line, and no two blank lines follow each other."""
        lines = re.sub(r"\n{3,}", "\n\n", _RULE.sub("", text)).strip("\n").split("\n")
        while lines:
            count = max(1, taken(lines))
            if heading := _HEADING.match(lines[0]):
                yield self._paragraph(heading["text"], bold=True)
            elif taken(lines):
                yield from lists(lines[:count], lambda item: list(self._spans(item)))
            elif _QUOTED.match(lines[0]):
                quoted = list(_leading(lines, _QUOTED))
                count = len(quoted)
                yield {"type": "rich_text_quote", "elements": list(self._spans("\n".join(quoted)))}
            else:
                while count < len(lines) and not _starts_another(lines[count:]):
                    count += 1
                words = "\n".join(lines[:count]).strip("\n")
                if words.strip():
                    yield self._paragraph(words)
            lines = lines[count:]

    def _paragraph(self, text: str, *, bold: bool = False) -> Block:
        return {
            "type": "rich_text_section",
            "elements": [*self._spans(text, bold=bold), {"type": "text", "text": "\n"}],
        }

    def _spans(self, text: str, *, bold: bool = False) -> Iterator[Block]:
        """The runs of a line, each in its style; never none."""
        outer = {"bold": True} if bold else {}
        at = 0
        for match in _INLINE.finditer(text) if self._inline else ():
            yield from self._linked(text[at : match.start()], **outer)
            style = match.lastgroup or "code"
            yield from self._linked(match[style], **outer, **({} if style in outer else {style: True}))
            at = match.end()
        rest = list(self._linked(text[at:], **outer))
        yield from rest if rest or at else [span(" ")]

    def _linked(self, text: str, **style: bool) -> Iterator[Block]:
        """A run of one style, with the references in it as links."""
        at = 0
        for match in self._named.finditer(text) if self._named else ():
            if match.start() > at:
                yield span(text[at : match.start()], **style)
            link: Block = {"type": "link", "url": self._links[match[0]], "text": match[0]}
            yield link | {"style": style} if style else link
            at = match.end()
        if at < len(text):
            yield span(text[at:], **style)


def _leading(lines: list[str], pattern: re.Pattern[str]) -> Iterator[str]:
    for line in lines:
        if not (match := pattern.match(line)):
            return
        yield match["text"]


def _starts_another(lines: list[str]) -> bool:
    """Whether a paragraph ends before these lines."""
    return bool(_HEADING.match(lines[0]) or _QUOTED.match(lines[0]) or taken(lines))
