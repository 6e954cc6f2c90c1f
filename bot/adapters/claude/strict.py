"""Strict tools: schemas that the server holds a model's calls to.

Strictness needs closed objects with named properties. A schema that cannot say that stays as it is, and so do the tools
beyond the documented limits of one request; the form of the answer counts towards two of them.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.models.turn import ToolForm

MAX_TOOLS = 20
"""Strict tools of one request."""
MAX_OPTIONAL = 24
"""Optional properties in all strict schemas of one request."""
MAX_UNIONS = 16
"""Properties of several types in all strict schemas of one request."""

_UNSUPPORTED = {"patternProperties", "propertyNames", "not", "if", "oneOf", "prefixItems", "dependentRequired"}


def strict_schemas(tools: Sequence[ToolForm], answer: dict[str, Any] | None) -> dict[str, dict[str, Any]]:
    """Return the strict schemas of the tools that fit, by name, in the order of the tools."""
    optional, unions = _count(answer) if answer else (0, 0)
    strict: dict[str, dict[str, Any]] = {}
    for tool in tools:
        schema = _close(json.dumps(tool.schema))
        if schema is None or len(strict) == MAX_TOOLS:
            continue
        more_optional, more_unions = _count(schema)
        if optional + more_optional <= MAX_OPTIONAL and unions + more_unions <= MAX_UNIONS:
            optional, unions = optional + more_optional, unions + more_unions
            strict[tool.name] = schema
    return strict


@lru_cache(maxsize=512)
def _close(text: str) -> dict[str, Any] | None:
    """Return the closed form of a schema; `None` if it cannot be closed without a loss."""
    from anthropic import transform_schema

    schema = json.loads(text)
    if schema.get("type") != "object" or not all(map(_fits, _walk(schema))) or _is_recursive(schema):
        return None
    return transform_schema(schema)


def _walk(schema: Any) -> Iterable[dict[str, Any]]:
    """Yield a schema and all schemas in it."""
    if not isinstance(schema, dict):
        return
    yield schema
    for key in ("properties", "$defs"):
        for part in (schema.get(key) or {}).values():
            yield from _walk(part)
    yield from _walk(schema.get("items"))
    for key in ("anyOf", "allOf"):
        for part in schema.get(key) or ():
            yield from _walk(part)


def _fits(schema: dict[str, Any]) -> bool:
    """Return whether one schema, without those in it, says the same when it is closed."""
    if _UNSUPPORTED & schema.keys():
        return False
    if "$ref" in schema:
        return str(schema["$ref"]).startswith("#/$defs/")
    match schema.get("type"):
        case "object":
            return isinstance(schema.get("properties"), dict) and schema.get("additionalProperties") in (None, False)
        case "array":
            return isinstance(schema.get("items"), dict)
        case "string" | "integer" | "number" | "boolean" | "null":
            return True
        case None:
            return bool(schema.keys() & {"anyOf", "allOf", "enum", "const"})
        case _:
            return False


def _is_recursive(schema: dict[str, Any]) -> bool:
    """Return whether a definition contains itself."""
    refs = {
        name: {str(part["$ref"]).removeprefix("#/$defs/") for part in _walk(definition) if "$ref" in part}
        for name, definition in (schema.get("$defs") or {}).items()
    }
    while leaves := {name for name, inner in refs.items() if not inner & refs.keys()}:
        refs = {name: inner for name, inner in refs.items() if name not in leaves}
    return bool(refs)


def _count(schema: dict[str, Any]) -> tuple[int, int]:
    """Return the numbers of optional properties, and of unions."""
    parts = [*_walk(schema)]
    optional = sum(len((part.get("properties") or {}).keys() - set(part.get("required") or ())) for part in parts)
    return optional, sum("anyOf" in part for part in parts)
