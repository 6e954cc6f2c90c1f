"""Schemas in the form of the Messages API: closed objects, and bounds as part of the description.

The server enforces no bounds; in a description the model reads them.
"""

from __future__ import annotations

from typing import Any

_FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
"""Formats of strings that the server knows."""
_VARIANTS = {"anyOf": "anyOf", "oneOf": "anyOf", "allOf": "allOf"}
"""Lists of variants, each with the name under which the server takes it."""


def to_api_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Convert a JSON schema. Raises `ValueError` for one without a type, variants or plain values."""
    rest = dict(schema)
    form: dict[str, Any] = {}
    if "$defs" in rest:
        form["$defs"] = {name: to_api_schema(part) for name, part in rest.pop("$defs").items()}
    if "$ref" in rest:
        return form | {"$ref": rest["$ref"]}
    kind = rest.pop("type", None)
    values = _take_values(rest)
    variants = _take_variants(rest)
    form |= values | variants
    if not values and not variants:
        if kind is None:
            raise ValueError("a schema needs a type, variants or plain values")
        form["type"] = kind
    form |= {key: text for key in ("description", "title") if (text := rest.pop(key, None)) is not None}
    if not values:
        form |= _take_contents(kind, rest)
    if rest:
        bounds = ", ".join(f"{key}: {value}" for key, value in rest.items())
        form["description"] = "\n\n".join([*filter(None, [form.get("description")]), f"{{{bounds}}}"])
    return form


def _take_values(rest: dict[str, Any]) -> dict[str, Any]:
    """Take the values that a schema allows, if they are plain ones."""
    taken: dict[str, Any] = {}
    values = rest.get("enum")
    if isinstance(values, list) and values and all(map(_is_plain, values)):
        taken["enum"] = rest.pop("enum")
    if "const" in rest and _is_plain(rest["const"]):
        taken["const"] = rest.pop("const")
    return taken


def _take_variants(rest: dict[str, Any]) -> dict[str, Any]:
    """Take the first list of variants, and drop any other one."""
    lists = [(name, rest.pop(key)) for key, name in _VARIANTS.items() if key in rest]
    return {name: [to_api_schema(part) for part in parts] for name, parts in lists[:1]}


def _take_contents(kind: Any, rest: dict[str, Any]) -> dict[str, Any]:
    """Take the parts of an object, a list or a string that the server knows."""
    taken: dict[str, Any] = {}
    if kind == "object":
        taken["properties"] = {key: to_api_schema(part) for key, part in rest.pop("properties", {}).items()}
        rest.pop("additionalProperties", None)
        taken["additionalProperties"] = False
        taken |= {"required": rest.pop("required")} if "required" in rest else {}
    elif kind == "array":
        taken |= {"items": to_api_schema(rest.pop("items"))} if "items" in rest else {}
        taken |= {"minItems": rest.pop("minItems")} if rest.get("minItems") in (0, 1) else {}
    elif kind == "string" and rest.get("format") in _FORMATS:
        taken["format"] = rest.pop("format")
    return taken


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)
