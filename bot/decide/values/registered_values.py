"""Values set without an assignment: by a setter call, an option's default, a line of settings. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_QUOTED = r"[\"'`](?P<name>[A-Za-z_-][\w .:/-]{1,60})[\"'`]"
_SETTERS = (
    r"\w*(?:set|setting|config|configure|option|opt|default|flag|env|getenv|param|property|prop|declare|define)\w*"
    r"|add_?argument|(?:Int|Uint|Float|Int64|Uint64|Float64|String|Bool|Duration)(?:Var)?"
)
_CALL = re.compile(
    rf"(?:^|[\s.>:({{=,!])(?:{_SETTERS})\(\s*(?:&?[\w.]+,\s*)?{_QUOTED}\s*,\s*(?P<value>.*)", re.IGNORECASE
)
_CALLED = re.compile(r"\(\s*(?:&?[\w.]+,\s*)?[\"'`]")
"""Necessary condition for a match of `_CALL` or `_LOOKED_UP`."""
_LOOKED_UP = re.compile(
    r"(?:env\w*|config\w*|settings?|options?|opts|params|properties)\.(?:fetch|get\w*)\(\s*[\"'`](?P<name>[\w.-]{2,60})[\"'`]\s*,"
    r"\s*(?P<value>[^)]*)",
    re.IGNORECASE,
)
_BARE_CALL = re.compile(
    r"^\s*(?:set|config|configure|option|setting|property|field|attribute|default|prop)\s+:(?P<name>\w+),\s*(?P<value>.+)"
)
_MACRO = re.compile(r"^\s*#\s*define\s+(?P<name>[A-Za-z_]\w*)\s+(?P<value>[^\s].*)")
_PROPERTY = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*\{\s*get;[^}]*\}\s*=\s*(?P<value>.*)")
_ARROW = re.compile(r"(?:[\"'](?P<quoted>[A-Za-z_][\w .-]*)[\"']|(?<![\w:]):(?P<symbol>\w+))\s*=>\s*(?P<value>\S.*)")
_CHAINED = re.compile(
    r"\.(?:default|default_?value(?:_t)?|defaults_?to|with_?default)\(\s*(?P<value>[^()]+)\)", re.IGNORECASE
)
_OPTION = re.compile(r"[\"'`](?P<name>--[\w-]+|-?[A-Za-z_][\w.:-]*(?=[\"'`=]))")
_SPOKEN = re.compile(
    r"[\"'`].*\bdefault(?:s)?\b(?:\s+(?:is|to|value))*\s*[:=]?\s*[`'\"]?(?P<value>-?\d[\w.,:%]*|true\b|false\b|on\b|off\b|none\b)"
    r".*[\"'`]",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"^(?:[#;]\s?)?(?P<name>[A-Za-z][\w.-]*)"
    r"(?:(?:\s*[=:]\s*|[ \t]+)(?P<value>[\"']?[-+]?\d\S*|yes|no|on|off|true|false)|\s*=\s*(?P<word>\S+))\s*$"
)
_WORD_SETTING = re.compile(r"^(?P<name>[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*)[ \t]+(?P<value>[\"'\w./:-]+)\s*$")
_NAME_FIRST = re.compile(r"((?:\w+\.)*[A-Za-z_]\w*),\s*[\"'`]")
_SETTINGS_FILE = re.compile(
    r"\.(?:conf|cnf|cfg|ini|config|properties|env)(?:\.\w+)?$|\.(?:example|sample|dist)$|(?:^|/)config$"
)


def in_settings(path: str) -> bool:
    """Return whether a file is a list of settings, with defaults as comments."""
    return bool(_SETTINGS_FILE.search(path.lower()))


def setting(line: str) -> tuple[str, str] | None:
    """Return the name and value in a line of a settings file, also if commented out with its default."""
    if match := _SETTING.match(line):
        return match["name"], match["value"] or match["word"]
    match = _WORD_SETTING.match(line)
    return (match["name"], match["value"]) if match else None


def registered(line: str) -> Iterator[tuple[str, str]]:
    """Yield names and values that a line sets without an assignment."""
    for pattern in _patterns(line):
        if (match := pattern.search(line)) and match["value"].strip():
            yield match["name"], _argument(match["value"].strip())
    if "=>" in line:
        for match in _ARROW.finditer(line):
            yield match["quoted"] or match["symbol"], match["value"].strip()


def _argument(value: str) -> str:
    """Return the first of several arguments if it is a name: its help follows."""
    match = _NAME_FIRST.match(value)
    return match[1] if match else value


def _patterns(line: str) -> Iterator[re.Pattern[str]]:
    """Yield the patterns that may match a line, by characters that they require."""
    if "," in line:
        if _CALLED.search(line):
            yield _CALL
            yield _LOOKED_UP
        if ":" in line:
            yield _BARE_CALL
    if "#" in line:
        yield _MACRO
    if "get;" in line:
        yield _PROPERTY


def find_option_default(line: str, above: Sequence[str]) -> tuple[str, str] | None:
    """Return an option's name and its default from a chained call or a help text; `None` without one."""
    if "default" not in line.lower():
        return None
    match = _CHAINED.search(line) or _SPOKEN.search(line)
    if not match:
        return None
    for text in (line, *reversed(above)):
        names = [name.strip("-") for name in _OPTION.findall(text)]
        if names:
            return next((name for name in names if len(name) > 1), names[0]), match["value"].strip()
    return None
