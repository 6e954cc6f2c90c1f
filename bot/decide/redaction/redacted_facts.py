"""Redacted copies of facts, valid whatever was redacted: a replacement is longer than a short secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from bot.models.fact import Fact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_core import ErrorDetails

    from bot.decide.redaction.redactor import Redactor

Value = TypeVar("Value", bound=Fact)

_CODE_WORDS = ("literal_error", "string_pattern_mismatch")
"""Errors of values that only code writes, such as a status or an id: these stay as they were."""


def redact_fact(fact: Value, redactor: Redactor, *, repeated: bool = True, remember: bool = True) -> Value:
    """Remove secrets from all texts of a fact; a text that becomes too long for its field is cut."""
    original = fact.model_dump()
    safe = redactor.value(original, repeated=repeated, remember=remember)
    if safe is original:
        return fact
    try:
        return type(fact).model_validate(safe)
    except ValidationError as problem:
        for error in problem.errors(include_url=False):
            safe = _repair(safe, original, error["loc"], error)
    return type(fact).model_validate(safe)


def _repair(value: Any, original: Any, path: Sequence[int | str], error: ErrorDetails) -> Any:
    """Return `value` with the text at `path` repaired; the names of a union's members in a path are passed over."""
    if isinstance(value, str):
        if error["type"] == "string_too_long":
            return f"{value[: error['ctx']['max_length'] - 1]}…"
        return original if error["type"] in _CODE_WORDS else value
    if not path:
        return value
    key, rest = path[0], path[1:]
    if isinstance(value, dict) and key in value and key in original:
        return {**value, key: _repair(value[key], original[key], rest, error)}
    if isinstance(value, list | tuple) and isinstance(key, int) and key < len(value):
        items = [_repair(each, original[at], rest, error) if at == key else each for at, each in enumerate(value)]
        return type(value)(items)
    return _repair(value, original, rest, error)
