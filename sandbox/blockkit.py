"""What Slack refuses in blocks and views, and what it fills in: ids and the flags of text objects.

Each complaint carries the pointer to the faulty place, as Slack's `response_metadata.messages` do.
"""

from collections.abc import Iterator
from typing import Any

from sandbox import markup
from sandbox.models import Json, Refused

BLOCK_TYPES = frozenset(
    [
        "actions",
        "alert",
        "card",
        "carousel",
        "container",
        "context",
        "context_actions",
        "data_table",
        "divider",
        "file",
        "header",
        "image",
        "input",
        "markdown",
        "plan",
        "rich_text",
        "section",
        "table",
        "task_card",
        "video",
    ]
)
MOST_BLOCKS = 50
MOST_BLOCKS_IN_A_VIEW = 100
MOST_ELEMENTS = {"actions": 25, "context": 10, "context_actions": 5}

_PRESSABLE = ("button", "buttons", "_select", "_input", "picker", "checkboxes", "overflow")
"""How the types end of elements that carry an action_id."""


def checked_blocks(blocks: Any) -> list[Json]:
    """The blocks of a message as Slack stores them; refuses faulty ones with `invalid_blocks`."""
    if not isinstance(blocks, list):
        raise Refused("invalid_blocks_format")
    complaints = list(_faulty_blocks(blocks, MOST_BLOCKS, ""))
    if complaints:
        raise Refused("invalid_blocks", *complaints)
    return _filled(blocks)


def checked_view(view: Any, *, kind: str = "modal") -> Json:
    """A view as Slack stores it; refuses a faulty one with `invalid_arguments`."""
    if not isinstance(view, dict):
        raise Refused("invalid_arguments", "[ERROR] must be an object [json-pointer:/view]")
    complaints = list(_faulty_view(view, kind))
    if complaints:
        raise Refused("invalid_arguments", *complaints)
    filled: Json = _with_flags({key: value for key, value in view.items() if key != "blocks"})
    return filled | {"blocks": _filled(view["blocks"])}


def _faulty_view(view: Json, kind: str) -> Iterator[str]:
    if view.get("type") != kind:
        yield _complaint(f"must be {kind}", "/view/type")
    blocks = view.get("blocks")
    if not isinstance(blocks, list):
        yield _complaint("missing required field: blocks", "/view")
        blocks = []
    yield from _faulty_blocks(blocks, MOST_BLOCKS_IN_A_VIEW, "/view")
    if kind == "modal":
        yield from _faulty_text(view.get("title"), 24, "/view/title")
    for name in ("submit", "close"):
        if view.get(name) is not None:
            yield from _faulty_text(view[name], 24, f"/view/{name}")
    if view.get("submit") is None and any(isinstance(b, dict) and b.get("type") == "input" for b in blocks):
        yield _complaint("missing required field: submit", "/view")
    yield from _too_long(view, "private_metadata", 3000, "/view")
    yield from _too_long(view, "callback_id", 255, "/view")


def _faulty_blocks(blocks: list[Any], most: int, pointer: str) -> Iterator[str]:
    if len(blocks) > most:
        yield _complaint(f"no more than {most} items allowed", f"{pointer}/blocks")
    seen: list[Any] = []
    for index, block in enumerate(blocks):
        place = f"{pointer}/blocks/{index}"
        if not isinstance(block, dict):
            yield _complaint("must be an object", place)
            continue
        if str(block.get("type")) not in BLOCK_TYPES:
            yield _complaint(f"unsupported type: {block.get('type')}", f"{place}/type")
            continue
        block_id = block.get("block_id")
        if block_id in seen:
            yield _complaint(f"block_id already exists: {block_id}", f"{place}/block_id")
        if block_id:
            seen.append(block_id)
        yield from _too_long(block, "block_id", 255, place)
        yield from _faulty_block(block, place)


def _faulty_block(block: Json, place: str) -> Iterator[str]:
    match block["type"]:
        case "section":
            yield from _faulty_section(block, place)
        case "header":
            yield from _faulty_text(block.get("text"), 150, f"{place}/text")
        case "input":
            yield from _faulty_text(block.get("label"), 2000, f"{place}/label")
            element = block.get("element")
            if isinstance(element, dict):
                yield from _faulty_element(element, f"{place}/element")
            else:
                yield _complaint("missing required field: element", place)
        case "actions" | "context" | "context_actions":
            yield from _faulty_elements(block, place)


def _faulty_section(block: Json, place: str) -> Iterator[str]:
    fields = block.get("fields") or []
    if not isinstance(fields, list):
        yield _complaint("must be an array", f"{place}/fields")
        return
    if block.get("text") is None and not fields:
        yield _complaint("missing required field: text", place)
    if block.get("text") is not None:
        yield from _faulty_text(block["text"], 3000, f"{place}/text")
    for index, text in enumerate(fields):
        yield from _faulty_text(text, 2000, f"{place}/fields/{index}")
    if len(fields) > 10:
        yield _complaint("no more than 10 items allowed", f"{place}/fields")
    if isinstance(block.get("accessory"), dict):
        yield from _faulty_element(block["accessory"], f"{place}/accessory")


def _faulty_elements(block: Json, place: str) -> Iterator[str]:
    elements = block.get("elements")
    most = MOST_ELEMENTS[block["type"]]
    if not isinstance(elements, list) or not elements:
        yield _complaint("missing required field: elements", place)
        return
    if len(elements) > most:
        yield _complaint(f"no more than {most} items allowed", f"{place}/elements")
    for index, element in enumerate(elements):
        if isinstance(element, dict):
            yield from _faulty_element(element, f"{place}/elements/{index}")
        else:
            yield _complaint("must be an object", f"{place}/elements/{index}")


def _faulty_element(element: Json, place: str) -> Iterator[str]:
    yield from _too_long(element, "action_id", 255, place)
    match element.get("type"):
        case "button":
            yield from _faulty_text(element.get("text"), 75, f"{place}/text")
            yield from _too_long(element, "value", 2000, place)
            if element.get("style", "primary") not in ("primary", "danger"):
                yield _complaint("must be primary or danger", f"{place}/style")
        case "plain_text_input":
            yield from _too_long(element, "initial_value", 3000, place)
        case None:
            yield _complaint("missing required field: type", place)


def _faulty_text(text: Any, most: int, place: str) -> Iterator[str]:
    if not isinstance(text, dict) or text.get("type") not in ("plain_text", "mrkdwn"):
        yield _complaint("must be a text object", place)
        return
    words = text.get("text")
    if not isinstance(words, str) or not words:
        yield _complaint("must be more than 0 characters", f"{place}/text")
    else:
        yield from _too_long(text, "text", most, place)


def _too_long(holder: Json, key: str, most: int, place: str) -> Iterator[str]:
    value = holder.get(key)
    if isinstance(value, str) and len(value) > most:
        yield _complaint(f"must be less than {most + 1} characters", f"{place}/{key}")


def _complaint(what: str, pointer: str) -> str:
    return f"[ERROR] {what} [json-pointer:{pointer}]"


def _filled(blocks: list[Json]) -> list[Json]:
    return [_with_flags({**block, "block_id": block.get("block_id") or markup.new_block_id()}) for block in blocks]


def _with_flags(part: Any) -> Any:
    """Slack adds the default flags of text objects, and an action_id to what can be pressed."""
    if isinstance(part, list):
        return [_with_flags(each) for each in part]
    if not isinstance(part, dict):
        return part
    filled = {key: _with_flags(value) for key, value in part.items()}
    match part.get("type"):
        case "plain_text":
            filled.setdefault("emoji", True)
        case "mrkdwn":
            filled.setdefault("verbatim", False)
        case str(kind) if kind.endswith(_PRESSABLE):
            filled.setdefault("action_id", markup.new_block_id())
    return filled
