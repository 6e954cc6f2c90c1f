"""Arguments of a declared command: words with placeholders such as `{path}`, and values that stay in their places.

A value becomes one word, or the rest of one; it is never an option, and never split. Where a usual program would read
it as code, the settings are refused (`argument_code`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import re2

from bot.decide.argument_code import may_be_code
from bot.decide.program_arguments import find_program_fault
from bot.models.declared_command import ChoiceParameter, IntegerParameter, PathParameter, StringParameter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bot.models.declared_command import Parameter

LONGEST_VALUE = 300
LONGEST_PATTERN = 500
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]{0,39})\}")
_INTEGER = re.compile(r"-?[0-9]{1,18}")
RESERVED = ("command", "project", "branch")
"""Names that a parameter cannot have: fields of `run_command`."""


def find_template_fault(argv: Sequence[str], parameters: Mapping[str, Parameter]) -> str:
    """Return the fault of a command with placeholders in the settings; empty if it has none."""
    if fault := find_program_fault(argv):
        return fault
    if _PLACEHOLDER.search(argv[0]):
        return f"expected the program without a placeholder, got {argv[0]}"
    if word := next((word for word in argv if not word.isprintable() or "```" in word), None):
        return f"expected words of printable characters, without three backticks, got {word!r}"
    names = [name for word in argv for name in _PLACEHOLDER.findall(word)]
    if unknown := sorted({*names} - {*parameters}):
        return f"unknown placeholder {{{unknown[0]}}}; {_list_parameters(parameters)}"
    if unused := sorted({*parameters} - {*names}):
        return f"the parameter {unused[0]} is in no word: expected {{{unused[0]}}}"
    faults = (_find_word_fault(argv, place, parameters) for place in range(1, len(argv)))
    return next(filter(None, faults), "")


def _list_parameters(parameters: Iterable[str]) -> str:
    return f"parameters are {', '.join(parameters)}" if parameters else "there are no parameters"


def _find_word_fault(argv: Sequence[str], place: int, parameters: Mapping[str, Parameter]) -> str:
    """Return the fault of a word whose value could be an option or code; empty if it has none."""
    word = argv[place]
    first = _PLACEHOLDER.search(word)
    if first is None:
        return ""
    if word.startswith("-") and "=" not in word[: first.start()]:
        return f"expected `=` before the placeholder of an option, or a word of its own after the option, got {word}"
    if may_be_code(argv, place):
        return f"expected no placeholder in a word that {argv[0]} may read as code, got {word}"
    parameter = parameters[first[1]]
    if first.start() == 0 and _may_begin_with_dash(parameter):
        return (
            f"expected no value of {first[1]} that begins with a dash, as an option does, or a word such as --x={word}"
        )
    return ""


def _may_begin_with_dash(parameter: Parameter) -> bool:
    """Return whether the settings themselves name values that begin with a dash; others are refused as they come."""
    match parameter:
        case ChoiceParameter():
            return any(choice.startswith("-") for choice in parameter.choices)
        case IntegerParameter():
            return parameter.min < 0
        case StringParameter() | PathParameter():
            return False


def parse_value(parameter: Parameter, text: str) -> str:
    """Return a value as it goes into a word. Raises `ValueError` with the expectation.

    A path is relative; its parts are not looked up here.
    """
    if not text:
        raise ValueError("expected a value, got an empty one")
    if len(text) > LONGEST_VALUE:
        raise ValueError(f"expected at most {LONGEST_VALUE} characters, got {len(text)}")
    if not text.isprintable() or "`" in text:
        raise ValueError("expected printable characters in one line, without backticks")
    match parameter:
        case StringParameter():
            value = text if compile_pattern(parameter.pattern).fullmatch(text) else None
        case ChoiceParameter():
            value = text if text in parameter.choices else None
        case IntegerParameter():
            is_in_range = _INTEGER.fullmatch(text) and parameter.min <= int(text) <= parameter.max
            value = str(int(text)) if is_in_range else None
        case PathParameter():
            value = _parse_path(text)
    if value is None:
        raise ValueError(f"expected {describe_parameter(parameter)}")
    return value


def describe_parameter(parameter: Parameter) -> str:
    """Return the values that a parameter takes."""
    match parameter:
        case StringParameter():
            return f"a text that matches {parameter.pattern} as a whole"
        case ChoiceParameter():
            return f"one of {', '.join(parameter.choices)}"
        case IntegerParameter():
            return f"a whole number from {parameter.min} to {parameter.max}"
        case PathParameter():
            return "a path within the folder, such as src/app.py"


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Any:
    """Compile a pattern of the settings. Raises `ValueError` with the fault."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as problem:
        reason = problem.args[0] if problem.args else ""
        text = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise ValueError(f"expected a pattern of re2: {text}") from None


def _parse_path(text: str) -> str | None:
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if text.startswith(("/", "~")) or ".." in parts or "\\" in text:
        return None
    return "/".join((".", *parts))


def fill(argv: Sequence[str], values: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words with the parsed values in place of their placeholders; a value is not searched for
    placeholders.

    Raises `ValueError` for a value that would be an option where it stands.
    """
    return tuple(_fill_word(word, values) for word in argv)


def _fill_word(word: str, values: Mapping[str, str]) -> str:
    filled = _PLACEHOLDER.sub(lambda match: values[match[1]], word)
    if filled.startswith("-") and not word.startswith("-"):
        raise ValueError("expected a value that does not begin with a dash: it would be an option")
    return filled
