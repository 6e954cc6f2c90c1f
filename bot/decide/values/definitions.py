"""Definitions in a file: places where names get values, and their extent.

Pure, and for common languages of settings and code: assignments, parameters with a default, keys of YAML, TOML and
JSON, dict entries, enums and other blocks, and sentences of documents that state a default.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.decide.retrieval.passages import is_document
from bot.decide.values.definition import Definition
from bot.decide.values.documented_defaults import STATED, documented_defaults
from bot.decide.values.fallbacks import fallbacks
from bot.decide.values.key_tables import with_key_tables
from bot.decide.values.registered_values import find_option_default, in_settings, registered, setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.decide.values.definition import Context, Kind

MOST_LINES = 24
"""Maximum number of lines of a definition that is shown whole."""
SMALL_BLOCK = 8
"""Maximum number of lines of a block that is shown whole for one of its entries."""
MOST_READ = 6_000
"""Maximum number of lines read of a file."""
MAX_LINE_LENGTH = 300
_NAME = r"(?<![A-Za-z_$])(?P<name>[A-Za-z_$][\w$]*+(?:[.-][\w$]++)*+)(?P<quote>[\"']?)\s*"
"""Complete name, possessive so that a search cannot restart inside it."""
_TYPE = r"(?:[^=,(){};\"'\[\]]|\[(?:[^\[\]]|\[[^\[\]]*+\])*+\]|\"[^\"]*\"|'[^']*'){1,80}?"
_KEY = r"(?P<key>:)(?=\s|$)"
_VALUE = r"\s*(?P<value>.*)"
_SITE = re.compile(rf"{_NAME}(?:(?::\s*{_TYPE}\s*)?(?:(?<![!<>=+*/%&|^~-])=(?![=>~])|:=)|{_KEY}){_VALUE}")
_KEY_SITE = re.compile(rf"{_NAME}{_KEY}{_VALUE}")
"""Definition in a line without an equals sign."""
_KEYWORDS = frozenset(
    (
        *("if", "else", "elif", "try", "finally", "case", "return", "lambda", "except", "for", "while", "with", "do"),
        "switch",
    )
)
_BLOCK = re.compile(
    r"^\s*(?:(?:export|default|public|private|protected|static|final|abstract|async|pub(?:\([a-z]+\))?|const|declare)\s+)*"
    r"(?P<kind>class|module|enum|enum class|struct|interface|type|trait|record|def|function|func|fn)\s+"
    r"(?:\([^)]*\)\s*)?(?P<name>[A-Za-z_$][\w$]*)"
    r"(?P<rest>.*)"
)
_MODIFIERS = frozenset(
    (
        *("export", "default", "public", "private", "protected", "static", "final", "abstract", "async", "pub"),
        *("const", "let", "var", "declare", "readonly", "def", "func", "fn", "fun", "function", "mut"),
        *("int", "long", "boolean"),
    )
)
COMMENT = re.compile(r"^\s*(?:#(?!\[)|//|/\*|\*|--\s|;|\"\"\"|''')")
_BRACKET = re.compile(r"[{(\[\])}]")
_QUOTED = re.compile(r"(?<!\\)\"(?:\\.|[^\"\\])*\"|(?<!\\)'(?:\\.|[^'\\])*'")
TRAILING = re.compile(r"(?<!\s)\s+(?:#|//).*")
_FUNCTIONS = ("def", "function", "func", "fn")
_BODY = re.compile(
    r"^\s*(?:\}\s*)?(?:if|else|elif|for|while|with|try|except|finally|switch|match|case|loop|unsafe|select)\b"
    r"|\)\s*(?:->[^{]*|:[^{]*|throws [^{]*)?\s*[{:]$|=>\s*\{$"
)
_OPENS = re.compile(r"[:{(\[]\s*(?:#|//|$)")
_WORDS = re.compile(r"[A-Za-z_$][\w$]*")
_FALLS_BACK = re.compile(
    r"\b(?:get_?|process\.)?env\w*\s*[.(\[]|\bdefault\w*\s*[=(:]|OrDefault\(|\bor_?else\(|\bflags?\.\w+\(|\.(?:add_)?option\(",
    re.IGNORECASE,
)
"""Calls with a value's name and its default."""
_OPTION_ABOVE = 6
"""Number of lines above a chained default in which the option is named."""
PLAIN_ENDINGS = (".yml", ".yaml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".env")


def definitions(path: str, lines: Sequence[str]) -> list[Definition]:
    """Find all definitions of a file, in order."""
    clipped_lines = [line[:MAX_LINE_LENGTH] for line in lines[:MOST_READ]]
    if is_document(path):
        return list(_stated_definitions(clipped_lines))
    plain = path.lower().endswith(PLAIN_ENDINGS) or in_settings(path)
    return with_key_tables(list(_find_in_code(clipped_lines, plain=plain, settings=in_settings(path))))


def defines(line: str) -> bool:
    """Return whether a line may contain a definition."""
    return bool(_site(line[:MAX_LINE_LENGTH])) and not COMMENT.match(line)


def _site(line: str, start: int = 0) -> re.Match[str] | None:
    """Return the next definition in a line, from a character on."""
    if "=" in line:
        return _SITE.search(line, start)
    return _KEY_SITE.search(line, start) if ":" in line else None


@dataclass(frozen=True, slots=True)
class _Block:
    """Open block."""

    indent: int
    line: int
    names: tuple[str, ...]
    context: Context


def _find_in_code(lines: Sequence[str], *, plain: bool, settings: bool = False) -> Iterator[Definition]:
    blocks: list[_Block] = []
    section: tuple[str, ...] = ()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        closed: _Block | None = None
        while blocks and blocks[-1].indent >= indent:
            closed = blocks.pop()
        scope = (*section, *(name for block in blocks for name in block.names))
        at = Definition(number, "", "", scope, blocks[-1].line if blocks else 0, "value", _context(blocks))
        if settings and (name_and_value := setting(line)):
            yield replace(at, name=name_and_value[0], value=name_and_value[1])
            continue
        if COMMENT.match(line) and not line.lstrip().startswith(("#define ", "# define ")):
            if stated := STATED.search(line):
                below = _named_below(lines, number)
                yield replace(at, name=below, value=stated["value"], kind="stated", is_default=True)
            continue
        if plain and (head := re.match(r"\s*\[++([^\]]+)\]+\s*$", line)):
            section, blocks = (head[1],), []
            continue
        line = TRAILING.sub("", line)  # comments define nothing
        before = lines[number - 2] if number > 1 and line.strip() == "{" else line
        opener = _BLOCK.match(before)
        if opener and before is line:
            kind: Kind = "function" if opener["kind"] in _FUNCTIONS else "block"
            yield replace(at, name=opener["name"], value=opener["rest"].strip(), kind=kind)
        opens = bool(_OPENS.search(line) or (opener and before is line and _is_deeper(lines, number, indent)))
        yield from (replace(at, name=name, value=value, is_default=True) for name, value in fallbacks(lines, number))
        yield from _definitions_of_line(
            line, at, lines[max(0, number - 1 - _OPTION_ABOVE) : number - 1], bool(opener), opens, plain
        )
        if opens:
            blocks.append(_open_block(before, indent, number, opener, closed))


def _definitions_of_line(
    line: str, at: Definition, above: Sequence[str], signature: bool, opens: bool, plain: bool
) -> Iterator[Definition]:
    """Yield the definitions of a line, by assignment or otherwise."""
    sites = list(_sites(line, at, opens=opens, signature=signature, plain=plain))
    yield from (replace(site, is_default=True) if _FALLS_BACK.search(site.value) else site for site in sites)
    names = {site.name for site in sites}
    registrations = [each for each in registered(line) if names.isdisjoint((each[0], each[1].strip("\"'`,;) ")))]
    is_default = bool(registrations) and bool(_FALLS_BACK.search(line))
    yield from (replace(at, name=name, value=value, is_default=is_default) for name, value in registrations)
    if option_default := find_option_default(line, above):
        yield replace(at, name=option_default[0], value=option_default[1], block_start=0, is_default=True)


def _is_deeper(lines: Sequence[str], number: int, indent: int) -> bool:
    """Return whether the next line is indented more, as in languages whose blocks open without a bracket."""
    below = lines[number] if number < len(lines) else ""
    return bool(below.strip()) and not depth(lines[number - 1]) and len(below) - len(below.lstrip()) > indent


def _named_below(lines: Sequence[str], number: int) -> str:
    """Return the name of the field or function below a comment; empty if none is near."""
    for line in lines[number : number + SMALL_BLOCK]:
        if line.strip() and not COMMENT.match(line):
            names = [word for word in _WORDS.findall(line) if word not in _MODIFIERS]
            return names[0] if names else ""
    return ""


def _context(blocks: Sequence[_Block]) -> Context:
    """Return the context of a line from its enclosing blocks: a literal in a body is a literal."""
    return blocks[-1].context if blocks else "top"


def _open_block(line: str, indent: int, number: int, opener: re.Match[str] | None, closed: _Block | None) -> _Block:
    if opener and opener["kind"] not in _FUNCTIONS:
        return _Block(indent, number, (opener["name"],), "class")
    bracket = TRAILING.sub("", line).rstrip()[-1:]
    if opener:
        return _Block(indent, number, (opener["name"],), "signature" if bracket in "([" else "body")
    if closed and closed.context in ("signature", "class") and line.lstrip().startswith(")"):
        return _Block(indent, number, closed.names, "body" if closed.context == "signature" else "class")
    names = tuple(_WORDS.findall(line))[:4]
    if bracket == "(":
        if names and names[0] in ("var", "const", "type") and len(names) == 1:
            return _Block(indent, number, (), "top")
        assigned = re.search(r"(?<![=!<>])=\s*[\w.]*\($", line)
        return _Block(indent, number, names, "literal" if assigned and not indent else "argument")
    return _Block(indent, number, names, "body" if _BODY.search(line) or line.endswith(")") else "literal")


def _sites(line: str, at: Definition, *, opens: bool, signature: bool, plain: bool) -> Iterator[Definition]:
    start = 0
    while match := _site(line, start):
        name, value = match["name"], TRAILING.sub("", match["value"]).strip()
        first = not line[: match.start()].strip(" \t-\"'")
        empty = not value and ((name == "default" and not plain) or not (opens and first))  # an arm of a switch
        if name not in _KEYWORDS and not empty and not _in_text(line, match) and value.rstrip(",;)") != name:
            context = at.context
            if "(" in line[: match.start()] and depth(line[: match.start()]) > 0:
                context = "signature" if signature else "argument"
            annotates = match["key"] and value and not (plain or match["quote"] or context in ("literal", "argument"))
            if annotates:
                start = match.start("value")
                continue
            yield replace(at, name=name, value=value, context=context)
        start = max(match.start("value"), match.start() + len(name))


def _in_text(line: str, match: re.Match[str]) -> bool:
    """Return whether a name is part of a string, such as a word in a message."""
    before, after = line[: match.start()], line[match.end("name") :]
    return any(
        before.count(mark) % 2 == 1 and not (before.endswith(mark) and (match["quote"] or "=" in after[:2]))
        for mark in '"`'
    )


def _stated_definitions(lines: Sequence[str]) -> Iterator[Definition]:
    for default in documented_defaults(lines):
        scope = (default.heading,) if default.heading else ()
        yield Definition(
            default.line, default.name, default.value, scope, default.heading_line, "stated", is_default=True
        )


def depth(line: str) -> int:
    """Count the brackets that a line opens more than it closes, except in strings and comments."""
    if not _BRACKET.search(line):
        return 0
    bare = _QUOTED.sub("", line) if '"' in line or "'" in line else line
    bare = TRAILING.sub("", bare) if "#" in bare or "//" in bare else bare
    count = bare.count
    return count("{") + count("(") + count("[") - count("}") - count(")") - count("]")
