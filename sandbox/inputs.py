"""Input values: their form in payloads to the app, by type of element."""

from collections.abc import Iterator
from typing import Any

from sandbox.models import Json, Refused

REQUIRED = "Please complete this required field."

_OPTION = ("static_select", "external_select", "radio_buttons", "overflow")
_OPTIONS = ("multi_static_select", "multi_external_select", "checkboxes")
_PLAIN = {
    "users_select": "selected_user",
    "conversations_select": "selected_conversation",
    "channels_select": "selected_channel",
    "multi_users_select": "selected_users",
    "multi_conversations_select": "selected_conversations",
    "multi_channels_select": "selected_channels",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
    "rich_text_input": "rich_text_value",
}
"""Payload key of an element's value, except for options and typed text."""
_TYPES: dict[str, tuple[type, ...]] = {
    "checkboxes": (list,),
    "datetimepicker": (int,),
    "number_input": (str, int, float),
    "rich_text_input": (dict,),
}
"""Accepted types of a person's value, by element; a string for all others."""
_FEEDBACK = ("positive_button", "negative_button")
_STATELESS = ("button", "icon_button", "feedback_buttons", "overflow", "image", "workflow_button")


def carry_value(element: Json, value: Any) -> Json:
    """Return the fields for a value of this element in a block action or a view's state."""
    kind = element["type"]
    if kind in _OPTION:
        return {"selected_option": None if value is None else _option(element, value)}
    if kind in _OPTIONS:
        return {"selected_options": [_option(element, each) for each in value or ()]}
    if kind in _PLAIN:
        return {_PLAIN[kind]: value if value is not None or not kind.startswith("multi_") else []}
    return {"value": str(value) if isinstance(value, int | float) else value}


def initial_value(element: Json) -> Any:
    """Return the initial value of an input."""
    kind = element["type"]
    if kind in _OPTION:
        return (element.get("initial_option") or {}).get("value")
    if kind in _OPTIONS:
        return [option["value"] for option in element.get("initial_options") or ()]
    name = _PLAIN.get(kind, "value").replace("selected_", "").removeprefix("rich_text_")
    return element.get(f"initial_{name}")


def accepts(element: Json, value: Any) -> bool:
    """Return whether this element accepts this value."""
    kind = element["type"]
    options = [option.get("value") for option in _options(element)]
    if kind == "feedback_buttons":
        options = [element[key].get("value") for key in _FEEDBACK]
    if kind.startswith("multi_") or kind == "checkboxes":
        return isinstance(value, list) and (kind not in _OPTIONS or all(each in options for each in value))
    return value in options if options else isinstance(value, str | int | dict)


def feedback(element: Json, value: Any) -> Json:
    """Return the pressed one of two feedback buttons, by value; the positive one by default."""
    halves = [element[key] for key in _FEEDBACK]
    return next((half for half in halves if value is not None and half.get("value") == value), halves[0])


def state_now(blocks: list[Json]) -> Json:
    """Return the `state.values` of a message or an unchanged view."""
    values: Json = {}
    for block in blocks:
        candidates = [*block.get("elements", ()), block.get("accessory"), block.get("element")]
        for element in candidates if block["type"] in ("actions", "section", "input") else ():
            if element and "action_id" in element and element["type"] not in _STATELESS:
                state = {"type": element["type"], **carry_value(element, initial_value(element) or None)}
                values.setdefault(block["block_id"], {})[element["action_id"]] = state
    return values


def elements(view: Json) -> list[tuple[str, Json]]:
    """Return the inputs of a view with their block ids."""
    return [(block_id, element) for block_id, _, element in _inputs(view)]


def state_of(view: Json, submitted: Json, menus: dict[str, Json]) -> tuple[Json, dict[str, str]]:
    """Return a view's `state.values` for submitted values, and Slack's own validation errors.

    `menus` are the inputs by block_id, with the options that the app offered while the person typed.
    """
    values = state_now(view["blocks"])
    errors: dict[str, str] = {}
    block_ids = {block_id for block_id, _, _ in _inputs(view)}
    if unknown := set(submitted) - block_ids:
        raise Refused("no_such_input", f"[ERROR] no input has the block_id {min(unknown)}")
    for block_id, block, _ in _inputs(view):
        element, answers = menus[block_id], submitted.get(block_id) or {}
        if not isinstance(answers, dict):
            raise Refused("invalid_value", f"[ERROR] the values of the block {block_id} are not an object")
        value = answers.get(element["action_id"], initial_value(element)) or None
        _check_type(element, value)
        values[block_id] = {element["action_id"]: {"type": element["type"], **carry_value(element, value)}}
        if complaint := _complaint(block, element, value):
            errors[block_id] = complaint
    return values, errors


def _inputs(view: Json) -> Iterator[tuple[str, Json, Json]]:
    for block in view["blocks"]:
        if block["type"] == "input":
            yield block["block_id"], block, block["element"]


def _check_type(element: Json, value: Any) -> None:
    """Refuse a value of a type that no such element can have."""
    kind = element["type"]
    wanted: tuple[type, ...] = _TYPES.get(kind, (str,))
    if kind.startswith("multi_"):
        wanted = (list,)
    many = isinstance(value, list) and not all(isinstance(each, str) for each in value)
    if value is not None and (isinstance(value, bool) or not isinstance(value, wanted) or many):
        expected = "a list of strings" if wanted == (list,) else " or ".join(each.__name__ for each in wanted)
        raise Refused("invalid_value", f"[ERROR] {element['action_id']} ({kind}) takes {expected}")


def _complaint(block: Json, element: Json, value: Any) -> str | None:
    if value is None:
        return None if block.get("optional") else REQUIRED
    if not isinstance(value, str):
        return None
    longest, least = element.get("max_length", 3000), element.get("min_length", 0)
    if len(value) > longest:
        return f"Must be less than {longest + 1} characters."
    return f"Must be more than {least - 1} characters." if len(value) < least else None


def _options(element: Json) -> list[Json]:
    groups = element.get("option_groups") or ()
    own = [*(element.get("options") or ()), *(option for group in groups for option in group["options"])]
    return [*own, *(element.get("initial_options") or ()), *filter(None, [element.get("initial_option")])]


def _option(element: Json, value: Any) -> Json:
    for option in _options(element):
        if option.get("value") == value:
            return {key: option[key] for key in ("text", "value", "description") if key in option}
    raise Refused("no_such_option")
