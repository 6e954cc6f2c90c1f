"""String literals in the syntax of many languages. Pure.

One grammar for all: a prefix (`b`, `r#`, `L`, `@`, `$`, `N`), any quotation marks, single or triple, `%q(…)`, `q{…}`,
`~s(…)`, `[[…]]`; adjacent literals, or ones joined by the language's operator, are one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import re2

if TYPE_CHECKING:
    from collections.abc import Iterator

REACH = 600
"""Number of characters after a name in which its value is searched."""
_LINES = 3
"""Maximum number of line breaks within brackets before the value."""
_FAST = re2.Options()
_FAST.never_capture = True
_BRACKETED = rb"(?:\([^()\n]*\)|\{[^{}\n]*\}|\[[^\[\]\n]*\]|<[^<>\n]*>|\|[^|\n]*\||/[^/\n]*/|![^!\n]*!)"
_TEXT = re2.compile(
    rb"\\+\"[^\"\\\n]*\\+\"|\\+'[^'\\\n]*\\+'|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|\[\[[^\]\n]*\]\]"
    rb"|(?:%[qQwWiI]?|\bqq?w?|~[sSwWcC])" + _BRACKETED,
    _FAST,
)
MARK = re2.compile(rb"[\"'`]|\[\[|(?:%[qQwWiI]?|\bqq?w?|~[sSwWcC])[({\[<|/!]", _FAST)
"""Start of a literal."""
_NEAR = re2.compile(rb"[\s\\]*(?:(?:[-+.&^]|\.\.|<>|\+\+|\|\|)[\s\\]*)?[({\[]?[A-Za-z@$#*&]{0,3}#?[\"']*")
"""Separator between a name's sign and its literal, and between joined literals: blanks, an operator, a prefix."""
_AT_END = re2.compile(
    rb"(?is).*(?:\|\||\?\?|\?:|//|\bor|\belse|[=:]|=>|->|\breturn|\?|\bunless|\bif)[\s({\[]*[A-Za-z@$#]{0,3}#?[\"']*"
)
"""Text before an alternative or default value."""
_WORDS = re2.compile(rb"\s*(?:::|:)?\s*[&*]?(?:'\w+ )?[\w.:<>\[\]?*& ]*=\s*[A-Za-z@$#]{0,3}#?")
"""Type between the name and the assignment sign."""
_EDGES = b"\\\"' "
_DEFAULT = re2.compile(rb"default\([ \t]*['\"]([^'\"]+)")
_INNER = re2.compile(rb"^(?:\{\w+\}|\{\{\s*'|\{\{\s*\")([^'\"]+)")


class Literal(NamedTuple):
    """Span of a literal's content."""

    first: int
    last: int
    is_sure: bool
    """True if it is the assigned value or an alternative to it; not an argument."""
    is_near: bool
    """True if only a blank and a prefix precede it."""


def literals(plain: bytes, at: int, until: int, *, inside: bool) -> Iterator[list[Literal]]:
    """Yield the literals of the expression at a position, joined ones together; `inside` tells that it starts in a
    bracket."""
    group: list[Literal] = []
    depth, after, breaks = int(inside), at, 0
    until = min(until, at + REACH, len(plain))
    for match in _TEXT.finditer(plain, at, min(until + REACH, len(plain))):
        if match.start() >= until:
            break
        gap = plain[after : match.start()]
        if after == at and plain[at - 1 : at] == b":":
            gap = gap[gap.rfind(b"=") + 1 :] or b" "  # a type precedes
        depth, breaks, ends = _scan_gap(gap, depth, breaks, is_first=after == at)
        if ends:
            break
        first, last = _content_span(plain, *match.span())
        near, is_assigned, typed = _classify_gap(gap)
        sure = is_assigned or (after == at and (near or typed))
        if group and not near and last > first:
            yield group
            group = []
        if last > first:
            first, last = _plain_span(plain, first, last)
        if last > first:
            group.append(Literal(first, last, sure, near))
        after = match.end()
        if after >= until:
            break
    if group:
        yield group


@lru_cache(maxsize=2048)
def _classify_gap(gap: bytes) -> tuple[bool, bool, bool]:
    """Classify the text before a literal: only a blank and a prefix; an assigning sign; a type and a sign."""
    if not gap or gap == b" ":
        return True, False, False
    return bool(_NEAR.fullmatch(gap)), bool(_AT_END.fullmatch(gap)), bool(_WORDS.fullmatch(gap))


def _content_span(plain: bytes, first: int, last: int) -> tuple[int, int]:
    """Return the span of a literal's content."""
    mark = plain[first : first + 1]
    if mark in (b'"', b"'", b"`"):
        return first + 1, last - 1
    if mark == b"[":
        return first + 2, last - 2
    while plain[first] not in b"\"'({[<|/!":
        first += 1
    return first + 1, last - 1


def _plain_span(plain: bytes, first: int, last: int) -> tuple[int, int]:
    """Return the span of a literal's content without template syntax or an encoder's name."""
    piece = plain[first:last]
    if piece[:1] == b"{" and (inner := _DEFAULT.search(piece) or _INNER.match(piece)):
        return first + inner.start(1), first + inner.end(1)
    if piece[:1] == b"(" and piece[-1:] == b")" and plain[first - 2 : first - 1] == b"R":
        return first + 1, last - 1
    before, after = len(piece) - len(piece.lstrip(_EDGES)), len(piece) - len(piece.rstrip(_EDGES))
    return (first + before, last - after) if before + after < len(piece) else (first, first)


def _scan_gap(gap: bytes, depth: int, breaks: int, *, is_first: bool) -> tuple[int, int, bool]:
    """Scan the text before a literal; return bracket depth, number of line breaks, and if the value ends there."""
    lowest = depth
    for sign in gap:
        if sign in b"([{":
            depth += 1
        elif sign in b")]}":
            depth -= 1
            lowest = min(lowest, depth)
        elif sign in b";," and depth <= 0:
            return depth, breaks, True
        elif sign in b"\n":
            breaks += 1
            if breaks > _LINES or (depth <= 0 and not _goes_on(gap, is_first=is_first)):
                return depth, breaks, True
    return depth, breaks, lowest < 0


def _goes_on(gap: bytes, *, is_first: bool) -> bool:
    """Return whether an expression continues after a line break: an operator ends or begins a line, or it is still
    empty."""
    before, _, after = gap.partition(b"\n")
    stripped = before.rstrip()
    return (
        (is_first and not stripped)
        or stripped.endswith((b"\\", b"=", b"|", b"?", b"+", b".", b"&", b"<>"))
        or after.lstrip().startswith((b"?", b"|", b"+", b".", b"&", b":"))
    )
