"""Blocks and views as Slack accepts them: checked against the limits, then completed with ids and default flags.

The limits are in `limits`.
"""

import json
from collections.abc import Iterator
from typing import Any

from sandbox import markup
from sandbox.checks import complaint, find_faults, find_kind_faults, find_repeated
from sandbox.limits import (
    BLOCK_WEIGHT,
    LONGEST_BLOCKS,
    LONGEST_MARKDOWN,
    LONGEST_TABLES,
    MOST_BLOCKS,
    MOST_BLOCKS_IN_A_VIEW,
    SURFACES,
    VIEWS,
)
from sandbox.models import Json, Refused

LARGEST_VIEW = 250_000
"""Bytes of a view."""
_PRESSABLE = ("button", "buttons", "_select", "_input", "picker", "checkboxes", "overflow")
"""Endings of the types of elements with an action_id."""


def checked_blocks(blocks: Any) -> list[Json]:
    """Return a message's blocks as Slack stores them; faulty ones are refused with `invalid_blocks`."""
    if not isinstance(blocks, list):
        raise Refused("invalid_blocks_format")
    complaints = list(_faulty_blocks(blocks, "message", MOST_BLOCKS, "/blocks"))
    if complaints:
        raise Refused("invalid_blocks", *complaints)
    _refuse_too_much(blocks)
    return _fill_block_ids(blocks)


def checked_view(view: Any, *, kind: str = "modal") -> Json:
    """Return a view as Slack stores it; a faulty one is refused with `invalid_arguments`."""
    if not isinstance(view, dict):
        raise Refused("invalid_arguments", complaint("must provide an object", "/view"))
    if len(json.dumps(view, ensure_ascii=False).encode()) > LARGEST_VIEW:
        raise Refused("view_too_large")
    complaints = list(_faulty_view(view, kind))
    if complaints:
        raise Refused("invalid_arguments", *complaints)
    filled: Json = _with_flags({key: value for key, value in view.items() if key != "blocks"})
    return filled | {"blocks": _fill_block_ids(view["blocks"])}


def _faulty_view(view: Json, kind: str) -> Iterator[str]:
    if view.get("type") != kind:
        yield complaint(f"must be {kind}", "/view/type")
    yield from find_faults(view, VIEWS[kind], "/view")
    blocks = view.get("blocks")
    if blocks is None:
        return
    if not isinstance(blocks, list):
        yield complaint("must provide an array", "/view/blocks")
        return
    yield from _faulty_blocks(blocks, kind, MOST_BLOCKS_IN_A_VIEW, "/view/blocks")
    inputs = any(isinstance(block, dict) and block.get("type") == "input" for block in blocks)
    if kind == "modal" and inputs and view.get("submit") is None:
        yield complaint("missing required field: submit", "/view")


def _faulty_blocks(blocks: list[Any], surface: str, maximum: int, place: str) -> Iterator[str]:
    if len(blocks) > maximum:
        yield complaint(f"no more than {maximum} items allowed", place)
    for index, block in enumerate(blocks):
        yield from find_kind_faults(block, SURFACES[surface], f"{place}/{index}")
    yield from find_repeated(blocks, "block_id", place)


def _refuse_too_much(blocks: list[Json]) -> None:
    """Check the limits over a whole message, beyond those of single blocks."""
    markdown = sum(len(block["text"]) for block in blocks if block["type"] == "markdown")
    if markdown > LONGEST_MARKDOWN or _length(blocks) + BLOCK_WEIGHT * len(blocks) > LONGEST_BLOCKS:
        raise Refused("msg_blocks_too_long")
    tables = [(index, block) for index, block in enumerate(blocks) if block["type"] == "table"]
    if sum(_length(block) for _, block in tables) > LONGEST_TABLES:
        what = complaint(f"must be less than {LONGEST_TABLES + 1} characters", f"/blocks/{tables[-1][0]}/rows")
        raise Refused("invalid_blocks", what)


def _length(part: Any) -> int:
    """Return the number of characters of all texts in a part."""
    if isinstance(part, list):
        return sum(map(_length, part))
    if isinstance(part, dict):
        own = part.get("text")
        inner = sum(_length(value) for value in part.values() if isinstance(value, dict | list))
        return inner + len(own) if isinstance(own, str) else inner
    return 0


def _fill_block_ids(blocks: list[Json]) -> list[Json]:
    return [_with_flags({**block, "block_id": block.get("block_id") or markup.new_block_id()}) for block in blocks]


def _with_flags(part: Any) -> Any:
    """Add the default flags of text objects, and an action_id to interactive elements, as Slack does."""
    if isinstance(part, list):
        return [_with_flags(each) for each in part]
    if not isinstance(part, dict):
        return part
    filled = {key: _with_flags(value) for key, value in part.items() if value is not None}
    match part.get("type"):
        case "plain_text":
            filled.setdefault("emoji", True)
        case "mrkdwn":
            filled.setdefault("verbatim", False)
        case str(kind) if kind.endswith(_PRESSABLE):
            filled.setdefault("action_id", markup.new_block_id())
    return filled
