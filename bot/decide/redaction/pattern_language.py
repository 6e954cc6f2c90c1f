"""Pattern language for token forms: translation of a form to a pattern, and its required beginning.

`secret_patterns.txt` describes the syntax.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CLASSES = {
    "digit": "[0-9]",
    "hex": "[0-9a-f]",
    "HEX": "[0-9A-F]",
    "Hex": "[0-9A-Fa-f]",
    "lower_": "[a-z_]",
    "upper": "[A-Z]",
    "low": "[a-z0-9]",
    "UP": "[A-Z0-9]",
    "base32": "[a-z2-7]",
    "check": "[a-z2-7*#$=]",
    "alpha": "[A-Za-z]",
    "alnum": "[A-Za-z0-9]",
    "word": "[A-Za-z0-9_]",
    "url": "[A-Za-z0-9_-]",
    "dot": "[A-Za-z0-9_.-]",
    "loose": "[A-Za-z0-9_.=-]",
    "tilde": "[A-Za-z0-9_.~-]",
    "b64": "[A-Za-z0-9+/]",
    "any64": "[A-Za-z0-9+/=_-]",
    "printed": r"[^\s\"'<>]",
    "blank": "[ \t]",
}
UUID = "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"

_PIECE = re.compile(
    r"\{(?P<name>[A-Za-z0-9_]+)(?::(?P<least>\d+)(?P<most>-\d+|\+)?)?\}|(?P<open>\()|(?P<close>\)\??)|(?P<bar>\|)"
    r"|(?P<secret><)|(?P<end>>)|(?P<edge>¶)|(?P<said>[^{}()|<>¶]+)"
)
BEFORE = r"(?:^|[^A-Za-z0-9]|\\[abefnrtv0]|%[0-9A-Fa-f]{2}|\\u00[0-9A-Fa-f]{2})"
"""Text before a token: no letter or digit, except at the end of an escape."""
_EDGE = r"(?:[^A-Za-z0-9_]|$)"
_DISTINCT = 4
"""Length in characters from which a beginning with a special character needs no boundary before it."""

_AHEAD = 8
"""Number of characters after a beginning that are checked before the whole form."""


def pattern(form: str) -> str:
    """Return the re2 pattern of a form; its first group is the secret. Raises `ValueError` for an invalid form."""
    at_end, form = form.endswith("¶"), form.removesuffix("¶")
    whole = "".join(_pattern_of(piece) for piece in _pieces(form))
    body = f"{whole if '<' in form else f'({whole})'}{_EDGE if at_end else ''}"
    return body if "<" in form or _stands_alone(form) else f"{BEFORE}{body}"


def beginnings(form: str) -> tuple[str, ...]:
    """Return patterns of which each token of the form contains one: its longest fixed texts, with the next
    characters if they begin it."""
    best: tuple[str, ...] = ()
    for alternatives in _literals(form):
        if min(map(len, alternatives)) > min(map(len, best), default=0):
            best = alternatives
            if min(map(len, best)) >= _DISTINCT:
                break
    if not best:
        raise ValueError(f"{form}: expected a text in it")
    after = _pattern_after_start(form) if best == _fixed_starts(form) else ""
    return tuple(f"{re.escape(text)}{after}" for text in best)


def _pieces(form: str) -> list[re.Match[str]]:
    pieces, at = [], 0
    for piece in _PIECE.finditer(form):
        if piece.start() != at:
            break
        pieces.append(piece)
        at = piece.end()
    if at != len(form):
        raise ValueError(f"{form}: expected no {form[at : at + 10]!r}")
    return pieces


def _pattern_of(piece: re.Match[str]) -> str:
    kind = piece.lastgroup
    if piece["name"]:
        return _repeat_pattern(piece)
    if kind == "said":
        return re.escape(piece["said"])
    return {"open": "(?:", "close": piece[0], "bar": "|", "secret": "(", "end": ")", "edge": _EDGE}[str(kind)]


def _repeat_pattern(piece: re.Match[str]) -> str:
    name, minimum, maximum = piece["name"], piece["least"], piece["most"]
    if name == "uuid":
        return UUID
    if name == "pad":
        return "={0,2}"
    if name not in CLASSES or minimum is None:
        raise ValueError(f"{piece[0]}: expected a class and a length")
    until = "" if maximum is None else "," if maximum == "+" else f",{maximum[1:]}"
    return f"{CLASSES[name]}{{{minimum}{until}}}"


def _stands_alone(form: str) -> bool:
    return all(len(text) >= _DISTINCT and not text.isalnum() for text in _fixed_starts(form))


def _fixed_starts(form: str) -> tuple[str, ...]:
    """Return the fixed texts at the start of a form; an empty one if it begins with a character class."""
    pieces = _pieces(form)
    texts, _ = _run(pieces, 0)
    return texts or ("",)


def _pattern_after_start(form: str) -> str:
    """Return the pattern of the first characters after the fixed start of a form."""
    pieces = _pieces(form)
    _, at = _run(pieces, 0)
    piece = pieces[at] if at < len(pieces) else None
    if any(earlier[0] == ")?" for earlier in pieces[:at]):
        return ""  # an optional part is in between
    if piece is None or not piece["name"] or piece["name"] not in CLASSES or not int(piece["least"]):
        return ""
    return f"{CLASSES[piece['name']]}{{{min(int(piece['least']), _AHEAD)}}}"


def _literals(form: str) -> list[tuple[str, ...]]:
    """Return each run of fixed texts that all tokens of a form contain, as its alternatives."""
    pieces, runs, at = _pieces(form), [], 0
    while at < len(pieces):
        texts, after = _run(pieces, at)
        if texts and all(texts):
            runs.append(texts)
        at = max(after, at + 1)
    return runs


def _run(pieces: Sequence[re.Match[str]], at: int) -> tuple[tuple[str, ...], int]:
    """Return the fixed texts from a piece up to a character class; an optional part or one with a class ends them."""
    texts: tuple[str, ...] = ("",)
    while at < len(pieces):
        piece = pieces[at]
        if piece.lastgroup == "said":
            texts = tuple(text + piece["said"] for text in texts)
            at += 1
        elif piece.lastgroup == "secret":
            at += 1
        elif piece.lastgroup == "open":
            inner, after, whole = _alternatives(pieces, at)
            if inner is None:
                return texts, after
            texts = tuple(text + alternative for text in texts for alternative in inner)
            at = after
            if not whole:
                return texts, at
        else:
            return texts, at
    return texts, at


def _alternatives(pieces: Sequence[re.Match[str]], at: int) -> tuple[tuple[str, ...] | None, int, bool]:
    """Return the alternatives of a bracket as far as they are fixed text, the piece after it, and if all of it is
    fixed."""
    depth, end = 0, at
    while True:
        depth += (pieces[end].lastgroup == "open") - (pieces[end].lastgroup == "close")
        end += 1
        if depth == 0:
            break
    inside = pieces[at + 1 : end - 1]
    if pieces[end - 1][0] == ")?":
        return None, end, False
    parts: list[list[re.Match[str]]] = [[]]
    level = 0
    for piece in inside:
        level += (piece.lastgroup == "open") - (piece.lastgroup == "close")
        if piece.lastgroup == "bar" and level == 0:
            parts.append([])
        else:
            parts[-1].append(piece)
    texts: list[str] = []
    whole = True
    for part in parts:
        run, after = _run(part, 0)
        texts += run
        whole &= after == len(part)
    return tuple(texts), end, whole
