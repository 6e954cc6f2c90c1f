"""Reply: a draft's text as the message that will be posted, in `rich_text` built by code.

Only text, code, lists, quotes and links to the evidence and to the merge request of its fix are built, so a draft can
express no mention, no broadcast and no other link. The card shows the same blocks.

A reply is always one message, so that one nonce finds it and it is posted once; parts, or a file, could be posted
incompletely. It fits, since a card must show it in full and no draft is longer than a dialog's input.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

from blocks.lists import count_list_lines, lists
from blocks.text import Block, escape, preformatted, rich_text, size, span
from bot.models.visible import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FENCED = re.compile(
    r"^(?P<pad>[ \t]*)(?P<fence>`{3,})[^\n`]*\n(?P<code>.*?)(?:\n?^[ \t]*(?P=fence)[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)
_INLINE = re.compile(
    r"`(?P<code>[^`\n]+)`|(?<![\w!\])])\[(?P<label>[^\[\]\n]+)\]\((?P<target>(?=[^()\s]*[/.:#])(?:[^()\s]|\([^()\s]*\))+)\)"
    r"|\*\*(?P<bold>[^*\n]+)\*\*|(?<!\w)_(?P<italic>[^_\n]+)_(?!\w)"
)
"""Code, a Markdown link, bold, italic; a call of an indexed value, `a[i](x)`, is not a link."""
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]++(?P<text>.*?)(?:(?<![ \t])[ \t]+#+)?(?:(?<![ \t])[ \t]*)?$")
RULE = re.compile(r"^ {0,3}(?P<mark>[-*_])(?:[ \t]*(?P=mark)){2,}[ \t]*$", re.MULTILINE)
_BLANKS = re.compile(r"\n(?:[ \t]*\n)+")
_BREAK = "\x00"
"""Placeholder for a rule while a draft is parsed; cleaned texts never contain it."""
_QUOTED = re.compile(r"^> ?(?P<text>.*)$")

MARK = re.compile("\ue000\\d+\ue001")
"""Placeholder in a text for an element built by code; these two characters are removed from the text first."""
LISTED = "\x1f"
"""Separator in a key of the links: a list of lines, and one of its ranges, which alone becomes the link."""
MAX_BLOCKS_CHARS = 6_500
"""Characters of JSON for a reply's blocks, since its card must show them too and Slack limits a message."""


def reply(
    text: str,
    links: Mapping[str, str] | None = None,
    inserts: Mapping[str, Block] | None = None,
    *,
    max_chars: int = MAX_BLOCKS_CHARS,
) -> dict[str, Any]:
    """Build the `text` and `blocks` of `chat.postMessage` for a draft.

    `inserts` are elements by their placeholder (`MARK`) in the text; `max_chars` limits the blocks as JSON. `links` are
    addresses by reference: references in the draft become links. A draft of too many pieces loses its links first, then
    inline formatting, then lists and code.
    """
    visible_text = clean(text)
    blocks: list[Block] = []
    own = inserts or {}
    for builder in (
        _RichTextBuilder(links or {}, own),
        _RichTextBuilder({}, own),
        _RichTextBuilder({}, own, inline=False),
    ):
        blocks = [rich_text(*builder.elements(visible_text))]
        if size(blocks) <= max_chars:
            break
    else:
        plain = MARK.sub(lambda mark: str(own.get(mark[0], {}).get("text", "")), visible_text)
        blocks = [rich_text({"type": "rich_text_section", "elements": [span(plain)]})]
    return {"text": escape(visible_text) or " ", "blocks": blocks}


def cell(text: str, inserts: Mapping[str, Block]) -> Block:
    """Build one line with its placeholders as a block, such as a table's cell."""
    spans = _RichTextBuilder({}, inserts).spans(clean(text))
    return rich_text({"type": "rich_text_section", "elements": list(spans)})


class _RichTextBuilder:
    """Converter from a text to elements, with its links and optional inline formatting."""

    def __init__(self, links: Mapping[str, str], inserts: Mapping[str, Block], *, inline: bool = True) -> None:
        self._inserts = inserts
        self._links = {ref: url for ref, url in links.items() if ref.strip() and LISTED not in ref}
        self._lists: dict[str, dict[str, str]] = {}
        for whole, part, url in ((*ref.partition(LISTED)[::2], url) for ref, url in links.items() if LISTED in ref):
            self._lists.setdefault(whole, {})[part] = url
        self._inline = inline
        refs = sorted({*self._links, *self._lists}, key=len, reverse=True)
        named = "|".join(map(re.escape, refs))
        self._named = re.compile(rf"(?<![\w./-])(?:{named})(?![\w/]|[.:-]\w)") if named else None

    def elements(self, text: str) -> list[Block]:
        """Return paragraphs, lists, quotes and fenced code, in order; never empty."""
        blocks: list[Block] = []
        at = 0
        for fence in FENCED.finditer(text):
            blocks += self._prose(text[at : fence.start()], is_first=not blocks)
            blocks.append(preformatted(textwrap.dedent(fence["code"]) if fence["pad"] else fence["code"]))
            at = fence.end() + text.startswith("\n", fence.end())
        blocks += self._prose(text[at:], is_first=not blocks)
        return blocks or [self._paragraph(" ")]

    def _prose(self, text: str, *, is_first: bool) -> Iterator[Block]:
        """Yield headings, lists, quotes and paragraphs. A rule becomes a blank line; other blank lines are kept before
        text."""
        lines = RULE.sub(_BREAK, text).split("\n")
        is_apart = is_ruled = False
        while lines:
            kind, count = _first_element(lines)
            if kind == "blank":
                is_ruled = is_ruled or lines[0] == _BREAK
                is_apart = True
            else:
                if not is_first and (is_ruled or (is_apart and kind in ("heading", "text"))):
                    yield {"type": "rich_text_section", "elements": [span("\n")]}
                yield from self._element(kind, lines[:count])
                is_first = is_apart = is_ruled = False
            lines = lines[count:]

    def _element(self, kind: str, lines: list[str]) -> Iterator[Block]:
        match kind:
            case "heading":
                yield self._paragraph(HEADING.sub(r"\g<text>", lines[0]), bold=True)
            case "list":
                yield from lists(lines, lambda item: list(self.spans(item)))
            case "quote":
                quoted = "\n".join(_QUOTED.sub(r"\g<text>", line) for line in lines)
                yield {"type": "rich_text_quote", "elements": list(self.spans(quoted))}
            case _:
                yield self._paragraph(_BLANKS.sub("\n\n", "\n".join(lines)))

    def _paragraph(self, text: str, *, bold: bool = False) -> Block:
        return {
            "type": "rich_text_section",
            "elements": [*self.spans(text, bold=bold), {"type": "text", "text": "\n"}],
        }

    def spans(self, text: str, *, bold: bool = False) -> Iterator[Block]:
        """Yield the runs of a line, each in its style; never empty."""
        outer = {"bold": True} if bold else {}
        at = 0
        for match in _INLINE.finditer(text) if self._inline else ():
            yield from self._format_linked(text[at : match.start()], **outer)
            at = match.end()
            if match["target"]:
                yield from self._format_labelled(match["label"], match["target"], **outer)
                continue
            if match["bold"]:
                yield from self.spans(match["bold"], bold=True)
                continue
            style = match.lastgroup or "code"
            yield from self._format_linked(match[style], **outer, **({} if style in outer else {style: True}))
        rest = list(self._format_linked(text[at:], **outer))
        yield from rest if rest or at else [span(" ")]

    def _format_labelled(self, label: str, target: str, **style: bool) -> Iterator[Block]:
        """Yield a label: a link if its target is a reference, else the label and the target as text."""
        words = label.strip("`*_ ") or target
        if url := self._links.get(target):
            yield _link(url, words, **style)
        else:
            yield from self._format_linked(f"{words} ({target})", **style)

    def _format_linked(self, text: str, **style: bool) -> Iterator[Block]:
        """Yield a run of one style, with placeholders and references replaced."""
        at = 0
        for mark in MARK.finditer(text) if self._inserts else ():
            yield from self._with_references(text[at : mark.start()], **style)
            if element := self._inserts.get(mark[0]):
                yield element | {"style": style} if style else element
            at = mark.end()
        yield from self._with_references(text[at:], **style)

    def _with_references(self, text: str, **style: bool) -> Iterator[Block]:
        at = 0
        for match in self._named.finditer(text) if self._named else ():
            if match.start() > at:
                yield span(text[at : match.start()], **style)
            if parts := self._lists.get(match[0]):
                yield from self._list(match[0], parts, **style)
            else:
                yield _link(self._links[match[0]], match[0], **style)
            at = match.end()
        if at < len(text):
            yield span(text[at:], **style)

    def _list(self, text: str, parts: Mapping[str, str], **style: bool) -> Iterator[Block]:
        """Yield a list of lines, each of its ranges linked."""
        at = 0
        for part, url in parts.items():
            start = text.find(part, at)
            if start < 0:
                continue
            if start > at:
                yield span(text[at:start], **style)
            yield _link(url, part, **style)
            at = start + len(part)
        if at < len(text):
            yield span(text[at:], **style)


def _link(url: str, text: str, **style: bool) -> Block:
    link: Block = {"type": "link", "url": url, "text": text}
    return link | {"style": style} if style else link


def _first_element(lines: list[str]) -> tuple[str, int]:
    """Return the kind of the first element, and its number of lines."""
    kind = _kind(lines[0])
    match kind:
        case "list":
            return kind, count_list_lines(lines)
        case "quote":
            return kind, next((n for n, line in enumerate(lines) if _kind(line) != "quote"), len(lines))
        case "text":
            return kind, _count_text_lines(lines)
        case _:
            return kind, 1


def _kind(line: str) -> str:
    if line == _BREAK or not line.strip():
        return "blank"
    if count_list_lines([line]):
        return "list"
    return "heading" if HEADING.match(line) else "quote" if _QUOTED.match(line) else "text"


def _count_text_lines(lines: list[str]) -> int:
    """Count the leading lines of text: paragraphs separated only by blank lines."""
    last = 0
    for n, line in enumerate(lines):
        kind = _kind(line)
        if line == _BREAK or kind not in ("blank", "text"):
            break
        if kind == "text":
            last = n
    return last + 1
