"""Facts in single lines of code: a constant's value, a parameter's default, a definition.

Names with two meanings are left out, so that each fact is true of the whole project.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import re2

from bot.decide.drill import CodeFact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

LONGEST_LINE = 160
_VALUE = r"(?P<value>-?\d[\d_]*(?:\.\d+)?|\"[^\"\\\n]{2,40}\"|'[^'\\\n]{2,40}'|True|False|true|false)"
_END = r"\s*[;,]?\s*(?:(?:#|//).*)?$"
_BEFORE = r"(?:(?:export|public|private|protected|internal|static|final|readonly|const|let|var|val|pub)\s+)*"
_CONSTANT = re2.compile(
    rf"^\s*{_BEFORE}(?:[\w<>\[\]]+\s+)?(?P<name>[A-Z][A-Z0-9_]{{3,}})(?:\s*:[^=\n]{{1,60}})?\s*:?=\s*{_VALUE}{_END}"
)
_FIELD = re2.compile(rf"^\s+(?P<name>[a-z][a-z0-9]*_[a-z0-9_]+)\s*:\s*[A-Za-z][^\n]{{0,100}}? = {_VALUE}{_END}")
_DEFAULT = re2.compile(
    r"^\s*(?:export\s+|async\s+|public\s+|static\s+)*(?:def|function|fun)\s+(?P<owner>[A-Za-z_]\w{3,})\([^\n]*?"
    rf"\b(?P<name>[A-Za-z]\w{{2,}})(?:\s*:\s*[\w.\[\]| ]{{1,40}})?\s*=\s*{_VALUE}\s*[,)]"
)
_DEFINED = re2.compile(
    r"^\s*(?:export\s+|default\s+|async\s+|public\s+|abstract\s+|pub\s+)*(?:def|class|function|func|fn|struct|interface)\s+"
    r"(?P<name>[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]|[a-z0-9][A-Z])\w{2,})\b"  # a plain word may have other meanings
)
_TESTS = re2.compile(
    r"(?i)(?:^|/)(?:tests?|testing|spec|specs|__tests__|fixtures|examples?|vendor|third_party)(?:/|$)|(?:^|/)test_|[._](?:test|spec)\."
)


def is_source(path: str) -> bool:
    """Return whether facts are taken from a file: code, and no test."""
    endings = (
        ".py",
        ".js",
        ".ts",
        ".tsx",
        ".jsx",
        ".go",
        ".rs",
        ".java",
        ".kt",
        ".cs",
        ".php",
        ".rb",
        ".swift",
        ".scala",
    )
    return path.endswith(endings) and not _TESTS.search(path)


def find_facts(files: Iterable[tuple[str, Sequence[str]]]) -> list[CodeFact]:
    """Return the facts of some files, in order, without names that occur twice."""
    all_facts = [fact for path, lines in files for fact in _in_file(path, lines)]
    names = Counter(fact.name.lower() for fact in all_facts)
    return [fact for fact in all_facts if names[fact.name.lower()] == 1]


def _in_file(path: str, lines: Sequence[str]) -> Iterator[CodeFact]:
    for number, text in enumerate(lines, 1):
        if len(text) > LONGEST_LINE or not text.isprintable() or "`" in text:
            continue
        for pattern in (_DEFAULT, _CONSTANT, _FIELD, _DEFINED):
            if match := pattern.search(text):
                groups = match.groupdict()
                yield CodeFact(path, number, text, groups["name"], groups.get("value") or "", groups.get("owner") or "")
                break
