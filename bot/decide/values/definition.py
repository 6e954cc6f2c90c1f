"""Definition: a place where a name gets a value, and how clearly it shows the value. Pure.

`decide/values/definitions` finds definitions, `decide/values/value_ranking` ranks them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

GENERIC = frozenset(("default", "defaults", "value", "initial", "default_value", "defaultvalue", "const", "factory"))
"""Generic names: the enclosing block names the setting."""

_LITERAL = re.compile(
    r"[-+]?\.?\d|[bfru]{0,2}[\"'`]|:\w|(?:True|False|true|false|yes|no|on|off)\b|/[\w/]|b\"", re.ASCII
)
_EMPTY = re.compile(r"(?:None|null|nil|undefined|\"\"|''|\{\}|\[\]|\(\))[,;)]*$")
_HOLDS_LITERAL = re.compile(r"(?<![\w.])\d|[\"'`]")
_SETTINGS = ("c", "cfg", "conf", "config", "opts", "options", "settings")
"""Variables whose fields are loaded settings, so none of them is a constant."""
_CONSTANT = re.compile(
    r"&?(?:[\w$]+(?:\.|::))*(?P<name>[A-Z][A-Z0-9_]{2,}|[dD]efault[A-Z_]\w*|DEFAULT\w+|k[A-Z]\w+|(?<=\w\.)"
    + "".join(rf"(?<!\b{name}\.)" for name in _SETTINGS)
    + r"[A-Z]\w{3,})(?:\.\w+\(\))?[,;)\s]*$"
)
_TEXT = re.compile(r"[\"'`]([^\"'`]*)[\"'`]")
_TAIL = re.compile(r"[.>:](\w+)(?:\(\))?[,;)\s]*$")
"""Trailing name of a value, of something else: `config.max_age()`."""
_LOOKED_UP = 0.2
_MIN_GRADE = 0.6
"""Minimum grade of an explicit value."""
_GRADES = {"block": 0.85, "function": 0.4, "stated": 0.75}
Kind = Literal["value", "block", "function", "stated"]
"""Kind of definition: a name with a value, a class or enum, a function, or a default stated in a sentence."""
Context = Literal["top", "class", "literal", "signature", "body", "argument"]
"""Context of a definition: top level of a file, class, dict or settings file, parameter list, function body, or
arguments of a call."""


@dataclass(frozen=True, slots=True)
class Definition:
    """Place where a name gets a value; lines are counted from 1."""

    line: int
    name: str
    value: str
    scope: tuple[str, ...] = ()
    """Names of the enclosing blocks, outermost first."""
    block_start: int = 0
    """First line of the innermost block; 0 at the top of a file."""
    kind: Kind = "value"
    context: Context = "top"
    is_default: bool = False
    """True if the place states that this is the default."""
    is_key: bool = False
    """True if the value is only another name of the setting."""

    @property
    def grade(self) -> float:
        """Return how clearly it shows a value: 1 for an explicit one, less for a reference to follow."""
        if self.is_key or (self.kind == "value" and _looks_itself_up(self.name, self.value)):
            return _LOOKED_UP
        return _GRADES.get(self.kind) or _grade(self.value)

    @property
    def is_value(self) -> bool:
        """Return whether it shows the value, or the constant with the value."""
        return self.grade >= _MIN_GRADE or (self.grade > _LOOKED_UP and bool(self.follows))

    @property
    def follows(self) -> str:
        """Return the constant that provides the value; empty for an explicit value."""
        match = _CONSTANT.fullmatch(self.value) if self.kind == "value" else None
        return match["name"] if match and match["name"] != self.name else ""

    @property
    def lists(self) -> bool:
        """Return whether it is a collection of values: an enum, a dict, a set, a union of literals."""
        if self.kind == "block":
            return bool(re.search(r"\b(?:Enum|StrEnum|IntEnum|Flag|TypedDict|NamedTuple)\b|^\s*\{", self.value))
        return self.kind == "value" and (self.value[-1:] in ("{", "[", "(") or self.value[:1] in ("{", "[", "("))

    @property
    def generic(self) -> bool:
        """Return whether its own name is generic."""
        return self.name.rsplit(".", 1)[-1].lower() in GENERIC


def _looks_itself_up(name: str, value: str) -> bool:
    """Return whether a value only looks up its own name: `config.get("shop", "max_age")`."""
    last = _normalise_name(name.rsplit(".", 1)[-1])
    if (tail := _TAIL.search(value)) and _normalise_name(tail[1]) == last:
        return True
    texts = list(_TEXT.finditer(value))
    if not texts or "(" not in value[: texts[0].start()]:
        return False
    at = next((at for at, text in enumerate(texts) if _normalise_name(text[1]).endswith(last)), None)
    return at is not None and not _HOLDS_LITERAL.search(value[texts[at].end() :])


def _normalise_name(name: str) -> str:
    return re.sub(r"\W|_", "", name.lower())


def _grade(value: str) -> float:
    if not value or value[-1] in "{([":
        return 0.85
    if "{{" in value or "${" in value:
        return 0.2
    if _EMPTY.match(value) or value.startswith("-1"):
        return 0.7
    if _LITERAL.match(value):
        return 1.0
    if value[0] in "{([":
        return 0.9
    if _CONSTANT.fullmatch(value):
        return 0.6
    if _HOLDS_LITERAL.search(value):
        return 0.9
    return 0.3 if re.fullmatch(r"[A-Z][\w-]*|[\w-]+", value) else 0.15
