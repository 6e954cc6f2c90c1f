"""Fallbacks: default values in code, with the name that they are set by. Pure.

A tag of a Go field, an environment look-up with another value after it, an option's default with the option's names, a
function that only returns a default.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TAGGED = re.compile(r"^\s*(?P<name>[A-Z]\w*)\s+[^`\"]+`(?P<tag>[^`]*)`")
_TAG = re.compile(r"\b(?:env-?)?default(?:-?value)?:\"(?P<value>[^\"]*)\"", re.IGNORECASE)
_ALIAS = re.compile(r"\b(?:env|envconfig|long|flag|name):\"(?P<name>[\w.-]+)")
_LOOKED_UP = re.compile(
    r"(?:\benv\w*|\bENV|environ\w*)(?:\?{0,1}\.(?P<field>[A-Z][A-Z0-9_]{2,})\b|\[\s*:?[\"']?(?P<key>[A-Za-z][\w.]{2,})[\"']?\s*\])"
    r"|(?:getenv|get_env|getEnv|env::var(?:_os)?|environ\.get|Getenv|LookupEnv|\benv)\(\s*[\"'](?P<name>[A-Za-z][\w.]{2,})[\"']\s*\)"
)
_ELSE = re.compile(r"\|\||\?\?|\?:|\bor\b|\.unwrap_or(?:_else|_default)?\((?:\|\w*\|\s*)?|\.or(?:Else|_else)\(")
_SHELL = re.compile(r"\$\{(?P<name>[A-Za-z][\w.-]*):-?(?P<value>[^{}]*)\}")
_DEFAULT = re.compile(
    r"(?<![\w.])(?:default|default_value(?:_t|_os)?|defaultValue|default_factory|fallback)[\"']?\s*[=:]\s*"
    r"(?P<value>\"[^\"]*\"|'[^']*'|[-+]?\d[\w.]*(?:\s*[*]\s*\d[\w.]*)*|[A-Za-z_][\w.:]*(?:\([^()]*\))?|\[[^\]]*\]|\{\})"
)
_FUNCTION = re.compile(r"\"(?:\w+::)*default_\w+\"|\"\w+(?:::\w+)+\"")
"""Name of a function that returns a default."""
_OPTION = re.compile(
    r"\b(?:long|env|name|names|envvar|env_var)\s*[=:]\s*[{\[(]?\s*[\"'](?P<key>-{0,2}[A-Za-z][\w.-]+)[\"']"
    r"|(?:^|[(\[{,])\s*[\"'](?P<flag>--?[A-Za-z][\w-]+)|[(]\s*[\"'](?P<first>[A-Za-z][\w.-]+)[\"']\s*,"
)
_FIELD = re.compile(
    r"^\s*(?:(?:pub(?:\([a-z]+\))?|private|public|protected|static|final|readonly|val|var)\s+)*"
    r"(?:(?P<name>[a-z_]\w*)\s*[?!]?:|[\w<>,.\[\] ]+?\s(?P<last>[a-z_]\w*)\s*[;=])"
)
_BESIDE = re.compile(r"\)\s+(?:\w+\s+)*?[\w<>\[\]]+\s+(?P<name>[a-z]\w*)\s*[;=,)]")
"""Field on the same line as its annotation."""
_GIVES = re.compile(
    r"^\s*(?:[a-z]+\s+)*(?:def|fn|func|function|fun)\s+(?:\([^)]*\)\s*)?(?:get_?)?default_?(?P<name>\w+)\s*\(",
    re.IGNORECASE,
)
_RETURNED = re.compile(
    r"^\s*(?:return\s+)?(?P<value>[-+]?\d[\w.]*(?:\s*[*]\s*\d[\w.]*)*|\"[^\"]*\"|'[^']*'|true|false|True|False"
    r"|[\w:.]+\(\s*[\"'\d][^()]*\))(?:\.(?:to_string|to_owned|into|unwrap|expect)\([^()]*\))*;?\s*\}?\s*(?://.*|#.*)?$"
)
_ABOVE, _BELOW, _STATEMENT = 8, 8, 4
"""Number of lines above and below an option for its names, and of lines in one look-up."""
_MARKS = ("efault", "env", "ENV", "fallback", "${")


def fallbacks(lines: Sequence[str], number: int) -> Iterator[tuple[str, str]]:
    """Yield names with the default value that a line gives them."""
    line = lines[number - 1]
    if not any(mark in line for mark in _MARKS):
        return
    if "`" in line and (field := _TAGGED.match(line)) and (tag := _TAG.search(field["tag"])):
        value = tag["value"] or '""'
        yield field["name"], value
        yield from ((each["name"], value) for each in _ALIAS.finditer(field["tag"]))
        return
    yield from _looked_up(lines, number)
    if "${" in line:
        yield from ((each["name"], each["value"]) for each in _SHELL.finditer(line) if each["value"])
    if "efault" in line or "fallback" in line:
        yield from _of_option(lines, number)
        if match := _GIVES.match(line):
            yield from ((match["name"], value) for value in _given_back(lines, number))


def _looked_up(lines: Sequence[str], number: int) -> Iterator[tuple[str, str]]:
    """Yield the default of an environment variable."""
    line = lines[number - 1]
    for match in _LOOKED_UP.finditer(line):
        parts = _ELSE.split(_expression(line[match.end() :], lines[number : number + _STATEMENT]))
        value = parts[-1].strip().rstrip(") ").strip() if len(parts) > 1 and _is_at_end(parts[0]) else ""
        if value:
            yield match["field"] or match["key"] or match["name"], value + ")" * (value.count("(") - value.count(")"))


def _expression(rest: str, below: Sequence[str]) -> str:
    """Return the rest of an expression after a look-up, up to a comma or semicolon, including continuation lines."""
    whole = _cut(rest)
    for line in below if whole == rest else ():
        is_open = whole.rstrip().endswith(("??", "||", " or", "(")) or line.lstrip().startswith(("??", "||", ")", "."))
        if not is_open or not line.strip():
            break
        piece = _cut(line.strip())
        whole = f"{whole} {piece}"
        if piece != line.strip():
            break
    return whole


def _cut(text: str) -> str:
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == ";" or (sign == "," and depth <= 0):
            return text[:at]
    return text


def _is_at_end(text: str) -> bool:
    """Return whether only closing brackets and a conversion separate a look-up from its default."""
    return not text.strip(" )]\n\t.?!") or bool(re.fullmatch(r"[\s)\]]*(?:\.\w+\([^()]*\)[\s)]*)*", text))


def _of_option(lines: Sequence[str], number: int) -> Iterator[tuple[str, str]]:
    """Yield the default of an option or an annotated field, under each of its names."""
    match = _DEFAULT.search(lines[number - 1])
    if not match or _FUNCTION.fullmatch(match["value"]):
        return
    start = _first_line(lines, number)
    is_attribute = lines[start - 1].lstrip().startswith(("#[", "@"))
    names: list[str] = []
    depth = 0
    for at in range(start, min(len(lines), number + _BELOW) + 1):
        line = lines[at - 1]
        if at > number and depth <= 0:
            field = _FIELD.match(line) if is_attribute and not line.lstrip().startswith(("#[", "@")) else None
            names += [field["name"] or field["last"]] if field else []
            if not is_attribute or field or not line.lstrip().startswith(("#[", "@")):
                break
            continue
        names += [_name(each) for each in _OPTION.finditer(line)]
        depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
        if is_attribute and at == number and depth <= 0 and (field := _BESIDE.search(line)):
            names.append(field["name"])
            break
    yield from ((name, match["value"]) for name in dict.fromkeys(names) if name)


def _first_line(lines: Sequence[str], number: int) -> int:
    """Return the first line of the call or annotation that contains a line."""
    depth = 0
    for at in range(number, max(0, number - _ABOVE), -1):
        line = lines[at - 1] if at < number else lines[at - 1].partition("efault")[0]
        depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
        if depth > 0:
            return at
    return number


def _name(match: re.Match[str]) -> str:
    return (match["key"] or match["flag"] or match["first"] or "").lstrip("-")


def _given_back(lines: Sequence[str], number: int) -> Iterator[str]:
    """Yield the single value that a short function returns."""
    line = lines[number - 1]
    bodies = [line.partition("{")[2]] if "{" in line and line.rstrip().endswith("}") else lines[number : number + 3]
    for body in bodies:
        if match := _RETURNED.match(body):
            yield match["value"]
            return
        if body.strip() and not body.lstrip().startswith(("#", "//", '"""')):
            return
