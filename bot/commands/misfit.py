"""Messages for invalid input: each field and the rule it breaks.

Nothing of the input is repeated, so that a model may read them as the words of code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from blocks.text import clip, escape
from bot.commands.field_order import is_surplus

if TYPE_CHECKING:
    from pydantic import ValidationError

    from bot.commands.command import CommandSpec

MAX_FIELDS = 3
"""Number of fields that one answer names."""
_RANGE = ("int_parsing", "int_type", "int_from_float", "greater_than_equal", "less_than_equal")
_SURPLUS = "extra_forbidden"


def describe_invalid_input(spec: CommandSpec | None, problem: ValidationError) -> str:
    """Describe the expected value of each wrong field, and the command's usage."""
    errors = problem.errors()
    surplus = [error for error in errors if error["type"] == _SURPLUS]
    errors_text = [_describe_error(spec, error) for error in errors if error["type"] != _SURPLUS][:MAX_FIELDS]
    if any(_is_typed_word(error) for error in surplus):
        errors_text.append("these are more words than it takes; words in quotes are one word")
    elif surplus:
        errors_text.append("it takes only the fields of its usage")
    whole = "; ".join(errors_text)
    usage = f" Usage: `{escape(spec.usage)}`" if spec else ""
    return f"{whole if whole.startswith('`') else whole[:1].upper() + whole[1:]}.{usage}"


def _is_typed_word(error: Any) -> bool:
    """Return whether a surplus value is a word of a line, as the parser numbers them."""
    return is_surplus(str(error["loc"][0]))


def _describe_error(spec: CommandSpec | None, error: Any) -> str:
    field = str(error["loc"][0]) if error["loc"] else ""
    name = field if spec and field in spec.input.model_fields else ""  # never a key that the input has made up
    rule = _rule(spec, error)
    if error["type"] == "missing":
        return f"`{name}` is missing"
    return f"`{name}`: {rule}" if name else rule


def _rule(spec: CommandSpec | None, error: Any) -> str:
    limits = error.get("ctx") or {}
    match error["type"]:
        case kind if kind in _RANGE:
            return f"expected a whole number{_range(spec, error['loc'])}"
        case "string_too_long":
            return f"expected at most {limits['max_length']:,} characters"
        case "string_too_short":
            return "expected text, and this is empty"
        case "bool_parsing" | "bool_type":
            return "expected true or false"
        case _:
            return escape(clip(error["msg"].removeprefix("Value error, "), 200))


def _range(spec: CommandSpec | None, loc: Any) -> str:
    """Return ` from 1 to 366`, from the field's schema."""
    if spec is None or not loc:
        return ""
    schema = spec.input.model_json_schema()["properties"].get(str(loc[0]), {})
    whole: dict[str, int] = next((each for each in (schema, *schema.get("anyOf", ())) if "minimum" in each), {})
    return f" from {whole['minimum']:,} to {whole['maximum']:,}" if "maximum" in whole else ""
