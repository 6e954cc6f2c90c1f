"""Shown values: checks if the lines that answer a question for a value contain one. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.retrieval.passages import is_document
from bot.decide.retrieval.stemmer import pieces, stem
from bot.decide.values.definition_cache import known_definitions
from bot.decide.values.definitions import MAX_LINE_LENGTH
from bot.decide.values.overrides import is_illustration, is_override
from bot.decide.values.setting_names import squashed
from bot.decide.values.value_question import lacks_amount, wants_amount, wants_default

if TYPE_CHECKING:
    from collections.abc import Sequence

_LITERAL = (
    r"(?:(?<![\w.])[-+]?\d|[\"'`][^\"'`]+[\"'`]"
    r"|\b(?:true|false|none|null|nil|on|off|enabled|disabled|empty|unlimited|not set|unset)\b)"
)
_NAMES = re.compile(r"[\w.-]{3,}")
_IS_CODE = re.compile(r"\w[_-]\w|[a-z][A-Z]")
_ROW = re.compile(rf"^\W*(?P<name>[A-Za-z][\w.-]*)[\"']?\s*[:=,(].*?{_LITERAL}", re.IGNORECASE)
_STATED_DEFAULT = re.compile(rf"(?<![A-Za-z])default\w*\b.*{_LITERAL}|{_LITERAL}.*(?<![A-Za-z])default", re.IGNORECASE)


def holds_value(question: str, path: str, lines: Sequence[str], first: int, last: int, *, sets: bool) -> bool:
    """Return whether lines `first` to `last` of a file can answer a question for a value; true for any other question.

    `sets` tells that they define one. A test or an example never does; nor, for a default, a script or a deployment.
    """
    is_default = wants_default(question)
    if not is_default and not wants_amount(question):
        return True
    if is_illustration(path, question) or (is_default and is_override(path, question)):
        return False
    if sets:
        return True
    shown_lines = [line[:MAX_LINE_LENGTH] for line in lines[first - 1 : last]]
    if not is_default:
        return not lacks_amount(question, "\n".join(shown_lines))
    return (
        any(map(_STATED_DEFAULT.search, shown_lines))
        or _gives_value(question, path, shown_lines)
        or _has_definition(question, path, lines, first, last)
    )


def _gives_value(question: str, path: str, shown_lines: Sequence[str]) -> bool:
    """Return whether a line of code begins with a name from the question, followed by a value in any form."""
    names = {squashed(name) for name in _NAMES.findall(question) if _IS_CODE.search(name)}
    rows = [] if is_document(path) else filter(None, map(_ROW.match, shown_lines))
    return any(squashed(row["name"]) in names for row in rows)


def _has_definition(question: str, path: str, lines: Sequence[str], first: int, last: int) -> bool:
    """Return whether one of the lines defines something that the question names."""
    stems = {stem(word) for part in re.findall(r"\w+", question) for word in pieces(part) if len(word) > 2}
    return any(
        first <= definition.line <= last
        and definition.is_value
        and definition.kind == "value"
        and stems & set(map(stem, pieces(definition.name)))
        for definition in known_definitions(path, lines)
    )
