"""Text of Block Kit blocks as mrkdwn: one piece for each paragraph, item, field or row."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from bot.models.markup import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BLOCKS = 100
_MOST_EMOJI, _LONGEST_EMOJI = 30, 100
DEEPEST = 6
"""Nesting depth up to which blocks are read."""

_SILENT = frozenset({"actions", "divider", "input", "file", "context_actions"})
"""Block types without text: controls, inputs, dividers, and files, which are read from the message."""
_TEXTS = ("title", "subtitle", "text", "body", "description", "alt_text", "fields", "elements", "blocks", "children")
"""Keys under which other block types may hold text."""


def block_texts(blocks: Any, depth: int = 0) -> Iterator[str]:
    """Yield the text pieces of these blocks in order; malformed blocks are skipped."""
    for block in list_objects(blocks)[:MOST_BLOCKS]:
        if depth < DEEPEST and block.get("type") not in _SILENT:
            yield from (piece for piece in _pieces(block, depth) if piece.strip())


def emoji_in(blocks: Any) -> frozenset[str]:
    """Return the names of the emoji in rich text."""
    names: dict[str, None] = {}
    for block in list_objects(blocks)[:MOST_BLOCKS]:
        if block.get("type") == "rich_text":
            emoji = islice((each for each in _inner_elements(block, 0) if each.get("type") == "emoji"), MOST_BLOCKS)
            names |= {str(each.get("name"))[:_LONGEST_EMOJI]: None for each in emoji}
    return frozenset(islice(names, _MOST_EMOJI))


def _pieces(block: dict[str, Any], depth: int) -> Iterator[str]:
    match block.get("type"):
        case "rich_text":
            for element in list_objects(block.get("elements")):
                yield from _rich_texts(element, depth)
        case "section" | "header":
            yield _text(block.get("text"))
            yield from (_text(each) for each in list_objects(block.get("fields")))
        case "context":
            yield " ".join(filter(None, (_text(each) for each in list_objects(block.get("elements")))))
        case "markdown":
            yield escaped(to_string(block.get("text")))
        case "table" | "data_table":
            yield from _rows(block, depth)
        case _:
            for key in _TEXTS:
                yield from _texts_of_value(block.get(key), depth + 1)


def _texts_of_value(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from block_texts([value], depth) if "elements" in value or "blocks" in value else iter((_text(value),))
    elif isinstance(value, list):
        for each in list_objects(value):
            yield from _texts_of_value(each, depth + 1) if depth < DEEPEST else ()


def _rows(block: dict[str, Any], depth: int) -> Iterator[str]:
    rows = block.get("rows")
    for row in rows[:MOST_BLOCKS] if isinstance(rows, list) else ():
        cells = [" ".join(_cell(cell, depth)) for cell in list_objects(row)]
        yield " | ".join(cell for cell in cells if cell.strip())


def _cell(cell: dict[str, Any], depth: int) -> list[str]:
    return [*block_texts([cell], depth + 1)] if cell.get("type") == "rich_text" else [_text(cell)]


def _rich_texts(element: dict[str, Any], depth: int) -> Iterator[str]:
    inner = list_objects(element.get("elements"))
    match element.get("type"):
        case "rich_text_list":
            for item in inner if depth < DEEPEST else ():
                yield from (f"• {piece}" for piece in _rich_texts(item, depth + 1))
        case "rich_text_quote":
            yield "\n".join(f"&gt; {line}" for line in _run(inner).split("\n"))
        case "rich_text_preformatted":
            yield f"```\n{_run(inner)}\n```"
        case _:
            yield _run(inner)


def _run(elements: list[dict[str, Any]]) -> str:
    return "".join(map(_inline, elements))


def _inline(element: dict[str, Any]) -> str:
    text = escaped(to_string(element.get("text")))
    match element.get("type"):
        case "text":
            style = element.get("style")
            return f"`{text}`" if isinstance(style, dict) and style.get("code") and "`" not in text else text
        case "link":
            url = escaped(to_string(element.get("url")))
            return f"<{url}|{text.replace('|', ' ')}>" if text else f"<{url}>"
        case "user":
            return f"<@{to_string(element.get('user_id'))}>"
        case "usergroup":
            return f"<!subteam^{to_string(element.get('usergroup_id'))}>"
        case "channel":
            return f"<#{to_string(element.get('channel_id'))}>"
        case "broadcast":
            return f"<!{to_string(element.get('range'))}>"
        case "emoji":
            return f":{to_string(element.get('name'))}:"
        case "date":
            return escaped(to_string(element.get("fallback"))) or to_string(element.get("timestamp"))
        case _:
            return text


def _inner_elements(element: dict[str, Any], depth: int) -> Iterator[dict[str, Any]]:
    for each in list_objects(element.get("elements")):
        yield each
        if depth < DEEPEST:
            yield from _inner_elements(each, depth + 1)


def _text(value: Any) -> str:
    """Return the words of a text object, or the alt text of an image."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return ""
    return to_string(value.get("text")) or to_string(value.get("alt_text"))


def list_objects(value: Any) -> list[dict[str, Any]]:
    """Return the JSON objects of a list; empty for anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def to_string(value: Any) -> str:
    """Return a string or number as a string; empty for anything else."""
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""
