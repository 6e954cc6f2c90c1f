"""JSON schemas of commands as a model reads them: without titles, nulls and lengths, which cost tokens in each request.

The handler validates each call against the input itself, so nothing depends on what is left out here.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.models.fact import Fact

_LEFT_OUT = ("title", "default", "minLength", "maxLength", "minimum", "maximum", "pattern")
"""Keys that cost tokens in each conversation; a value out of its bounds is answered with them."""
SHARED = {
    "project": "A project's name.",
    "task": "A task's name, or a link into its thread.",
    "channel": "A channel's name or id; here: the channel of the conversation.",
    "title": "The title of a note, or its name.",
    "content": "The text, in Markdown.",
    "first": "The first line to show.",
    "limit": "Most of them to list.",
    "name": "The hook's name.",
    "link": "The link of a message, as Slack copies it.",
    "days": "Number of days back from now.",
    "hours": "Number of hours back from now.",
    "branch": "A branch of Triage, by default the current one.",
    "base": "A branch or commit.",
}
"""Descriptions of fields that many inputs have: the chat agent's prompt gives them once, for all of them."""
AS_NEW = "As in create_"
"""Beginning of the descriptions of fields that change what another command creates; the prompt says so, too."""
_NULL = {"type": "null"}


@cache
def compact_schema(form: type[Fact]) -> dict[str, Any]:
    """Return the schema of an input; callers must not change it."""
    schema = form.model_json_schema()
    compact: dict[str, Any] = {"type": "object", "properties": _compact_all(schema.get("properties", {}))}
    if required := schema.get("required"):
        compact["required"] = required
    if definitions := schema.get("$defs"):
        compact["$defs"] = _compact_all(definitions)
    return compact


def _compact_all(schemas: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    compact = {name: _compact(schema) for name, schema in schemas.items()}
    for name, schema in compact.items():
        text = schema.get("description", "")
        if text == SHARED.get(name) or text.startswith(AS_NEW):
            del schema["description"]
    return compact


def _compact(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without what a model does not need; the only type beside null stands for both."""
    rest = {key: value for key, value in schema.items() if key not in _LEFT_OUT and key != "anyOf"}
    if "items" in rest:
        rest["items"] = _compact(rest["items"])
    if "properties" in rest:
        rest["properties"] = _compact_all(rest["properties"])
    types = [_compact(each) for each in schema.get("anyOf", ()) if each != _NULL]
    match types:
        case []:
            return rest
        case [one]:
            return one | rest
        case _:
            return rest | {"anyOf": types}
