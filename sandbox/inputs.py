"""How a value that a person gives reaches the app: by the kind of element it was given to."""

from collections.abc import Iterator
from typing import Any

from sandbox.models import Json, Refused

REQUIRED = "Please complete this required field."

_ONE_OPTION = ("static_select", "radio_buttons", "overflow")


def carried(element: Json, value: Any) -> Json:
    """The fields of a block action, or of a view's state, in which this element carries this value."""
    kind = element.get("type")
    if kind in _ONE_OPTION:
        return {"selected_option": None if value is None else _option(element, value)}
    if kind == "checkboxes":
        return {"selected_options": [_option(element, each) for each in value or ()]}
    if kind == "users_select":
        return {"selected_user": value}
    return {"value": value}


def initial(element: Json) -> Any:
    """What stands in an input before anybody touched it."""
    kind = element.get("type")
    if kind in _ONE_OPTION:
        return (element.get("initial_option") or {}).get("value")
    if kind == "checkboxes":
        return [option["value"] for option in element.get("initial_options") or ()]
    return element.get("initial_user") if kind == "users_select" else element.get("initial_value")


def state_of(view: Json, given: Json) -> tuple[Json, dict[str, str]]:
    """A view's `state.values` when it is submitted with these values, and what Slack itself finds wrong with them."""
    values: Json = {}
    errors: dict[str, str] = {}
    known = {block_id for block_id, _, _ in _inputs(view)}
    if unknown := set(given) - known:
        raise Refused("no_such_input", f"[ERROR] no input has the block_id {min(unknown)}")
    for block_id, block, element in _inputs(view):
        answers = given.get(block_id)
        answers = answers if isinstance(answers, dict) else {}
        value = answers.get(element["action_id"], initial(element)) or None
        values[block_id] = {element["action_id"]: {"type": element["type"], **carried(element, value)}}
        if complaint := _complaint(block, element, value):
            errors[block_id] = complaint
    return values, errors


def _inputs(view: Json) -> Iterator[tuple[str, Json, Json]]:
    for block in view["blocks"]:
        if block["type"] == "input":
            yield block["block_id"], block, block["element"]


def _complaint(block: Json, element: Json, value: Any) -> str | None:
    if value is None:
        return None if block.get("optional") else REQUIRED
    longest = element.get("max_length", 3000)
    if isinstance(value, str) and len(value) > longest:
        return f"Must be less than {longest + 1} characters."
    return None


def _option(element: Json, value: Any) -> Json:
    for option in element.get("options") or ():
        if option.get("value") == value:
            return {key: option[key] for key in ("text", "value")}
    raise Refused("no_such_option")
