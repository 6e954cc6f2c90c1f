"""Typed text of a message: pasted, quoted or forwarded text is not the author's own.

An allowlist: typed is what Slack's composer builds from keystrokes, rich text of sections and lists. Every other block,
including unknown ones, may hold words of others. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from bot.models.block_text import block_texts, list_objects
from bot.models.markup import search_text

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_TYPED = 600
"""Characters from which a message counts as pasted: few people type more to a bot."""
MOST_LINES = 8
"""Lines from which a message counts as pasted."""
MOST_ELEMENTS = 1_000
MOST_COMPARED = 18_000
"""Characters compared between a text and foreign blocks; with more the text counts as foreign."""

_QUOTED = re.compile(r"^[ \t]*(?:>|&gt;)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_INLINE = frozenset({"text", "link", "user", "usergroup", "team", "channel", "broadcast", "emoji", "color"})
"""Elements of a typed line."""
_FENCE = "```"


def is_pasted(event: dict[str, Any]) -> bool:
    """Return whether a message in Slack's own shape has attachments, blocks that nobody types, or too much text."""
    raw_text = event.get("text")
    text = raw_text if isinstance(raw_text, str) else ""
    return (
        bool(event.get("attachments") or event.get("files"))
        or len(text) > LONGEST_TYPED
        or text.count("\n") >= MOST_LINES
        or _FENCE in text
        or _QUOTED.search(text) is not None
        or not _is_all_typed(event.get("blocks"))
    )


def read_typed_text(event: dict[str, Any]) -> str:
    """Return the text typed by a message's author, as mrkdwn; other rich text is marked as quote or code.

    The plain text counts if all blocks are typed, and beside foreign blocks if it repeats none of them. All text of a
    bot is its own.
    """
    raw_text, blocks = event.get("text"), event.get("blocks")
    text = raw_text if isinstance(raw_text, str) else ""
    if not blocks:
        return text.strip() if _is_by_program(event) else text
    if _is_by_program(event):
        return "\n".join([text, *(piece for piece in block_texts(blocks) if piece not in text)]).strip()
    if _is_all_typed(blocks):
        return text or "\n".join(block_texts(blocks))
    rich = [block for block in list_objects(blocks) if block.get("type") == "rich_text"]
    if rich:
        return "\n".join(
            piece for block in rich for each in list_objects(block.get("elements")) for piece in _words_of_element(each)
        )
    return "" if _is_repeated(text, blocks) else text


def _is_by_program(event: dict[str, Any]) -> bool:
    return bool(event.get("bot_id") or event.get("bot_profile") or event.get("app_id"))


def _is_all_typed(blocks: Any) -> bool:
    return all(
        block.get("type") == "rich_text" and all(map(_is_typed, list_objects(block.get("elements"))))
        for block in list_objects(blocks)
    )


def _is_typed(element: dict[str, Any]) -> bool:
    """Return whether it is a section, or a list of sections without the border of a quote."""
    inner = list_objects(element.get("elements"))
    if len(inner) > MOST_ELEMENTS:
        return False
    match element.get("type"):
        case "rich_text_section":
            return all(each == _strip_label(each) and each.get("type") in _INLINE for each in inner)
        case "rich_text_list":
            sections = all(each.get("type") == "rich_text_section" for each in inner)
            return not element.get("border") and sections and all(map(_is_typed, inner))
        case _:
            return False


def _strip_label(inline: dict[str, Any]) -> dict[str, Any]:
    """Return a line's element; of a link without its label, unless the label is the address itself."""
    url, words = str(inline.get("url")), inline.get("text")
    is_labelled = inline.get("type") == "link" and words and str(words) not in url
    return {"type": "link", "url": url} if is_labelled else inline


def _lines(element: dict[str, Any]) -> dict[str, Any] | None:
    """Return the typed lines of an element, without untypable parts; `None` for any other element."""
    inner = list_objects(element.get("elements"))
    if element.get("type") == "rich_text_section":
        return {"type": "rich_text_section", "elements": [_strip_label(e) for e in inner if e.get("type") in _INLINE]}
    if element.get("type") != "rich_text_list" or element.get("border"):
        return None
    items = [_lines(each) for each in inner if each.get("type") == "rich_text_section"]
    return {"type": "rich_text_list", "elements": items} if len(items) == len(inner) else None


def _words_of_element(element: dict[str, Any]) -> Iterator[str]:
    """Yield the words of one rich text element; untyped ones stay quoted, or code."""
    if lines := _lines(element):
        yield from block_texts([{"type": "rich_text", "elements": [lines]}])
        return
    for piece in block_texts([{"type": "rich_text", "elements": [element]}]):
        if element.get("type") == "rich_text_preformatted":
            code = piece.removeprefix(f"{_FENCE}\n").removesuffix(f"\n{_FENCE}").replace("`", "'")
            yield f"{_FENCE}\n{code}\n{_FENCE}"
        else:
            yield "\n".join(f"&gt; {line.removeprefix('&gt; ')}" for line in piece.splitlines())


def _is_repeated(text: str, blocks: Any) -> bool:
    """Return whether a text repeats one of the blocks, or the other way round."""
    strings = [*_strings(blocks)]
    if len(strings) >= MOST_ELEMENTS or len(text) + sum(map(len, strings)) > MOST_COMPARED:
        return True
    own, block_words = _pad_words(text), [*map(_pad_words, strings)]
    return any(each.strip() and (own in each or each in own) for each in block_words)


def _strings(blocks: Any) -> Iterator[str]:
    """Yield all texts of some blocks at any depth, without ids and types; bounded."""
    left, count = [blocks], 0
    while left and count < MOST_ELEMENTS:
        match left.pop():
            case dict() as shape:
                left += [value for key, value in shape.items() if key not in ("type", "block_id", "action_id")]
            case list() as many:
                left += many[:MOST_ELEMENTS]
            case str() as said:
                count += 1
                yield said


def _pad_words(text: str) -> str:
    return f" {' '.join(_WORD.findall(search_text(text).lower()))} "
