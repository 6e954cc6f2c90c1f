"""Complaints about settings: each mistake in one line, with file, line, key and expected value."""

from __future__ import annotations

import difflib
import re
from datetime import date
from typing import TYPE_CHECKING, Any

from bot.config.sections.base import EXPECTED
from bot.config.sections.known_keys import keys_beside

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pydantic import BaseModel, ValidationError

    from bot.config.yaml_file import KeyLines

_LONGEST_COMPLAINT = 600
"""Maximum characters of one complaint."""


def list_complaints(top: type[BaseModel], path: Path, error: ValidationError, lines: KeyLines) -> list[str]:
    """Return a line for each error of the settings class `top`, in its order."""
    problems = error.errors()
    return [
        f"{path}:{lines.line_of(problem['loc'])}: {format_location(problem['loc'])}: {describe_problem(top, problem)}"
        for problem in problems
        if not _follows(problem, problems)
    ]


def _follows(problem: Any, problems: Sequence[Any]) -> bool:
    """Return whether a list is too short only because its wrong elements do not count."""
    place = problem["loc"]
    inside = (each["loc"] for each in problems if len(each["loc"]) > len(place))
    return problem["type"] == "too_short" and any(location[: len(place)] == place for location in inside)


def join_complaints(complaints: list[str], max_complaints: int | None) -> str:
    """Return the first complaints, one a line, with the number of the others; `None` means all."""
    remaining = len(complaints) - max_complaints if max_complaints is not None else 0
    rest = (
        [f"and {remaining} more; `triage doctor` names each, triage.example.yml explains each key"]
        if remaining > 0
        else []
    )
    return "\n".join([*map(_on_one_line, complaints[:max_complaints]), *rest])


def _on_one_line(complaint: str) -> str:
    """Make a complaint safe for a terminal: text from the file cannot break a line or move the cursor."""
    plain = "".join(char if char.isprintable() else "?" for char in complaint)
    return plain if len(plain) <= _LONGEST_COMPLAINT else f"{plain[: _LONGEST_COMPLAINT - 1]}…"


def format_location(location: tuple[int | str, ...]) -> str:
    """Return a key as people write it, such as `operators.0`."""
    return ".".join(str(part) for part in location if part != "[key]")


_PLAIN_WORDS = {
    "Input should be ": "expected ",
    "a valid tuple": "a list",
    "a valid dictionary": "keys with values",
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid string": "text",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
}
_LIBRARYS_REASON = re.compile(r" or instance of .*|, (?:unable to|got a number) .*")


def describe_problem(top: type[BaseModel], problem: Any) -> str:
    """Describe the expected value for one of pydantic's errors."""
    context = problem.get("ctx", {})
    match problem["type"]:
        case "extra_forbidden":
            return _no_such_key(top, problem["loc"])
        case "missing":
            return "expected a value, found none"
        case "string_pattern_mismatch":
            return f"expected {EXPECTED.get(context['pattern'], context['pattern'])}"
        case "string_type":
            is_scalar = isinstance(problem.get("input"), int | float | date)
            return "expected text: put the value in quotes" if is_scalar else "expected text"
        case "bool_parsing" | "bool_type":
            return "expected true or false"
        case "path_type":
            return "expected a path"
        case "literal_error":
            return f"expected {context['expected']}"
        case "too_short" | "too_long":
            bound = f"least {context['min_length']}" if "min_length" in context else f"most {context['max_length']}"
            return f"expected at {bound}, found {context['actual_length']}"
        case _:
            text: str = problem["msg"].removeprefix("Value error, ")
            for pydantics, ours in _PLAIN_WORDS.items():
                text = text.replace(pydantics, ours)
            return _LIBRARYS_REASON.sub("", text)


def _no_such_key(top: type[BaseModel], location: tuple[int | str, ...]) -> str:
    near = difflib.get_close_matches(str(location[-1]), keys_beside(top, location), n=1)
    return f"expected a known key, perhaps {near[0]}" if near else "expected a known key; see triage.example.yml"
