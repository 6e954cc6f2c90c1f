"""Call sites: lines of code that call what a question names, as opposed to its definition. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bot.decide.retrieval.passages import defined_name, is_document, kind
from bot.decide.retrieval.requested_kinds import requested_kind
from bot.decide.retrieval.stopwords import STOP

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CODE_NAME = re.compile(
    r"`(?P<quoted>[\w$.:>#-]{2,80})(?:\(\))?`|(?<![\w$.])(?P<opened>[\w$.:>-]{2,80})\(\)"
    r"|(?<![\w$.])(?P<name>(?:[A-Za-z]\w*\.)*(?:_*[a-zA-Z0-9]+_\w+|[a-z0-9]+[A-Z]\w*|[A-Z]+[a-z0-9]+[A-Z]\w*|[A-Za-z]\w*\.[A-Za-z]\w*))"
)
"""Names recognisable as code: in backticks, followed by brackets, or in a code spelling."""
_SPOKEN = re.compile(
    r"\b(?:calls?|callers? of|invokes?|invoking|calling)\s+(?:the\s+)?(?P<after>[A-Za-z_]\w{2,60})\b"
    r"|\b(?:is|are|gets?)\s+(?:the\s+)?(?P<before>[A-Za-z_]\w{2,60})(?:\s+\w+)?\s+(?:called|invoked)\b",
    re.IGNORECASE,
)
_MAX_LINE_LENGTH = 300
_MOST_LINES = 20_000
_DECLARING_BLOCK = re.compile(r"\b(?:interface|trait|protocol)\b")
_CLASS_BLOCK = re.compile(r"^\s*(?:[\w@]+\s+)*(?:class|struct|enum|impl|extension)\b")
_NO_BARE_METHODS = (".py", ".rb")
"""File endings of languages where a keyword precedes a method's name in its definition; a name without one is a
call."""
_CLOSURES = (".rb", ".kt", ".kts", ".swift", ".groovy", ".gradle", ".scala", ".rs", ".py")
"""File endings of languages in which a call may end with a block."""
_C = (".c", ".h", ".cc", ".cpp", ".hpp")
_BEFORE_A_CALL = frozenset(
    (
        *("return", "await", "new", "go", "defer", "yield", "throw", "else", "do", "case", "in", "not", "and", "or"),
        *("raise", "assert", "print", "if", "elif", "unless", "when", "then", "puts", "echo", "while", "until", "is"),
        *("from", "of", "typeof", "delete", "try", "co_await", "co_return", "co_yield", "async", "switch", "match"),
    )
)
_WORD_BEFORE = re.compile(r"(?P<word>[\w$>\]]+)[ \t]+[*&]*$")
_REMARK = re.compile(r"(?:^|\s)(?://|#(?!\[)|--\s|/\*)")


def called_names(question: str) -> list[str]:
    """Return the names whose calls a question asks for; empty for any other question."""
    if requested_kind(question) != "calls":
        return []
    names = [match[match.lastgroup or 0].strip(".:>-#") for match in _CODE_NAME.finditer(question)]
    if not names:
        spoken = [match["after"] or match["before"] for match in _SPOKEN.finditer(question)]
        names = [word for word in spoken if word.lower() not in STOP]
    return list(dict.fromkeys(name for name in names if len(name) > 1))


def call_sites(name: str, path: str, lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers (from 1) of the lines that call a function, a method or a class of this name."""
    last = _last_part(name)
    if not last or is_document(path):
        return
    form = call_of(last)
    for number, line in enumerate(lines[:_MOST_LINES], 1):
        text = line[:_MAX_LINE_LENGTH]
        if last not in text or kind(text) == "remark" or (kind(text) == "definition" and defined_name(text) == last):
            continue
        if any(_is_call(path, lines, number, match) for match in form.finditer(text)):
            yield number


def handing_sites(name: str, path: str, lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers (from 1) of the lines that pass a function as an argument: `map(name, rows)`."""
    form = handing_of(_last_part(name))
    for number, line in enumerate(() if is_document(path) else lines[:_MOST_LINES], 1):
        match = form.search(line[:_MAX_LINE_LENGTH])
        if match and kind(line) not in ("remark", "import", "definition") and not line[: match.start()].count('"') % 2:
            yield number


def call_of(name: str) -> re.Pattern[str]:
    """Return the pattern of a call in a line of at most 300 characters."""
    return re.compile(rf"(?<![\w$]){re.escape(name)}(?:<[^<>()]{{0,60}}>|::<[^<>()]{{0,60}}>|[!?]|\?\.)?\s?\(")


def handing_of(name: str) -> re.Pattern[str]:
    """Return the pattern of a function passed as an argument in such a line."""
    return re.compile(rf"[(,]\s*(?:[\w$]+(?:\.|::))*{re.escape(name)}\s*[,)]")


def _last_part(name: str) -> str:
    return re.split(r"[^\w$]+", name)[-1]


def _is_call(path: str, lines: Sequence[str], number: int, match: re.Match[str]) -> bool:
    before = match.string[: match.start()]
    if before.count('"') % 2 or before.count("`") % 2 or _REMARK.search(before):
        return False
    if word := _WORD_BEFORE.search(before):
        return word["word"] in _BEFORE_A_CALL
    if before.strip():
        return True
    ending = path[path.rfind(".") :].lower()
    if (not before and ending in _C) or (ending not in _CLOSURES and match.string.rstrip().endswith("{")):
        return False
    around = _enclosing_line(lines, number, len(before.expandtabs(4)))
    is_class = ending not in _NO_BARE_METHODS and _CLASS_BLOCK.search(around)
    return not (_DECLARING_BLOCK.search(around) or is_class)


def _enclosing_line(lines: Sequence[str], number: int, indent: int) -> str:
    """Return the line that opens the enclosing block; empty at the top of a file."""
    for line in reversed(lines[max(0, number - 1 - _MOST_LINES) : number - 1]):
        depth = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        if line.strip() and depth < indent and not line.strip().startswith((")", "{")):
            return line[:_MAX_LINE_LENGTH]
    return ""
