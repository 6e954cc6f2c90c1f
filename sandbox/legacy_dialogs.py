"""Legacy dialogs (dialog.open): shown as a view, with payloads of their own."""

from dataclasses import dataclass
from typing import Any

from sandbox.blockkit import checked_view
from sandbox.dialogs import Dialogs
from sandbox.models import Json, Refused

MOST_ELEMENTS = 10
_MENUS = {
    "static": "static_select",
    "users": "users_select",
    "channels": "channels_select",
    "conversations": "conversations_select",
    "external": "external_select",
}
"""Equivalent Block Kit element, by `data_source`."""


@dataclass(frozen=True, slots=True)
class LegacyDialog:
    """Open legacy dialog, with the channel that its person was in."""

    callback_id: str
    channel: str
    state: str
    notify_on_cancel: bool


class LegacyDialogs:
    """Open legacy dialogs, by the id of their view."""

    def __init__(self, dialogs: Dialogs) -> None:
        self._dialogs = dialogs
        self._open: dict[str, LegacyDialog] = {}

    def open(self, trigger_id: str, dialog: Any) -> None:
        """Open a dialog with the trigger of a person's action."""
        view = _view(dialog)
        opened_view = self._dialogs.open(trigger_id, view)
        self._open[opened_view["id"]] = LegacyDialog(
            callback_id=dialog["callback_id"],
            channel=self._dialogs.channel_of(trigger_id),
            state=str(dialog.get("state") or ""),
            notify_on_cancel=dialog.get("notify_on_cancel") is True,
        )

    def find(self, view_id: str) -> LegacyDialog | None:
        return self._open.get(view_id)


def submission(values: Json) -> Json:
    """Return the submitted values by element name."""
    return {name: _answer(next(iter(answer.values()))) for name, answer in values.items()}


def errors_of(answer: Json) -> dict[str, str]:
    """Return the app's errors by element name."""
    errors = answer.get("errors")
    return {str(each["name"]): str(each["error"]) for each in errors or () if isinstance(each, dict)}


def options_of(answer: Json) -> Json:
    """Return the app's options for a menu, in Block Kit's format."""
    offer: Json = {}
    if "options" in answer:
        offer["options"] = _options(answer["options"])
    if "option_groups" in answer:
        offer["option_groups"] = [
            {"label": _plain_text(group.get("label")), "options": _options(group.get("options"))}
            for group in answer["option_groups"]
        ]
    return offer


def _view(dialog: Any) -> Json:
    if not isinstance(dialog, dict) or not isinstance(dialog.get("elements"), list):
        raise Refused("validation_errors", "[ERROR] a dialog has a title, a callback_id and elements")
    elements = dialog["elements"]
    if not dialog.get("callback_id") or not dialog.get("title") or not 1 <= len(elements) <= MOST_ELEMENTS:
        raise Refused("validation_errors", f"[ERROR] a title, a callback_id and 1 to {MOST_ELEMENTS} elements")
    view = {
        "type": "modal",
        "title": _plain_text(dialog["title"]),
        "submit": _plain_text(dialog.get("submit_label") or "Submit"),
        "close": _plain_text("Cancel"),
        "blocks": [_block(element) for element in elements],
    }
    try:
        return checked_view(view)
    except Refused as refused:
        raise Refused("validation_errors", *refused.messages) from None


def _block(element: Any) -> Json:
    if not isinstance(element, dict) or not element.get("name") or not element.get("label"):
        raise Refused("validation_errors", "[ERROR] an element has a type, a name and a label")
    block: Json = {
        "type": "input",
        "block_id": str(element["name"]),
        "label": _plain_text(element["label"]),
        "optional": element.get("optional") is True,
        "element": _element(element),
    }
    return block | {"hint": _plain_text(element["hint"])} if element.get("hint") else block


def _element(element: Json) -> Json:
    field: Json = {"action_id": str(element["name"])}
    if element.get("placeholder"):
        field["placeholder"] = _plain_text(element["placeholder"])
    match element.get("type"):
        case "text" | "textarea":
            field |= {"type": "plain_text_input", "multiline": element["type"] == "textarea"}
            field |= {key: element[key] for key in ("min_length", "max_length") if key in element}
            return field | {"initial_value": element["value"]} if element.get("value") else field
        case "select":
            return field | _menu(element)
        case kind:
            raise Refused("validation_errors", f"[ERROR] unsupported type: {kind}")


def _menu(element: Json) -> Json:
    kind = _MENUS.get(element.get("data_source") or "static")
    if kind is None:
        raise Refused("validation_errors", "[ERROR] unsupported data_source")
    if kind == "external_select":
        return {"type": kind, "min_query_length": element.get("min_query_length", 0)}
    return {"type": kind, **(options_of(element) if kind == "static_select" else {})}


def _options(options: Any) -> list[Json]:
    if not isinstance(options, list) or not all(isinstance(each, dict) for each in options):
        raise Refused("invalid_options", "[ERROR] must provide a list of options")
    return [{"text": _plain_text(each.get("label")), "value": str(each.get("value"))} for each in options]


def _plain_text(text: Any) -> Json:
    return {"type": "plain_text", "text": str(text)[:75]}


def _answer(answer: Json) -> Any:
    """Return the value of an input."""
    if "selected_option" in answer:
        return (answer["selected_option"] or {}).get("value")
    return next((value for key, value in answer.items() if key != "type"), None)
