"""Secret names in a text, and the sign after each. Pure.

All names and signs are found in one pass without capturing groups, which would take three times as long.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import re2

from bot.decide.redaction.given_values import is_secret_name
from bot.decide.redaction.secret_words import PASSWORDS, SECRETS

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACED = (
    r"mot de passe|palavra[ -]passe|kata sandi|mat khau|clave de acceso"
    r"|(?:api|access|secret|private|signing|encryption|master|account|license|auth) key"
)
"""Names of several words."""
SHORT_NAME = r"(?:pw|mdp|psw|psk)(?:\b|_)"
"""Names of passwords that are also a part of other words."""
_TELLING = (
    rf"{_SPACED}|{PASSWORDS}|{SECRETS}|\x01|\x02|(?:client|app)[_-]?id\b|dsn\b|creds?\b|conn(?:ection)?[_-]?str|auth\b|pass(?:[_\d]|\b)"
    rf"|(?:\b|_){SHORT_NAME}|(?-i:[a-z](?:Pw|PW|Pass)\b)"
)
NAME = rf"[\w.$\x01\x02-]*(?:{_TELLING})[\w\x01\x02-]*(?:\.(?:key|value|secret))?"
_CLOSED = r"[\"'`\\\])}*>!?]{0,4}(?:[ \t]?\[[^\]\[\n\"']{0,24}\]){0,3}"
_TYPE = r"[ \t]+\{[ \t\w;]*\}|[ \t]+(?:as|in|for)[ \t][^\s=]+|(?:[ \t]+[\w.<>?]+){1,2}"
_FAST = re2.Options()
_FAST.never_capture = True
_NAME_AND_SIGN = re2.compile(
    (
        rf"(?i){NAME}(?:{_CLOSED}(?:(?:{_TYPE})?[ \t]{{0,8}}"
        r"(?::=|\|\|=|\?\?=|//=|\+=|<<?-|<<<|=>|===?|!==?|\?=|=|:|\?\?|\|\||\?:|->"
        r"|[ \t](?:or|to)\b)|[ \t]?(?:[,({]|\.\w{1,16}\()|>|[ \t]{0,40}\|"
        r"|[ \t]{1,8}(?:[\"'`@~%\[({]|qq?[({\[<|/!]|\w{1,3}[\"'`]))"
        r"|[ \t][^\s\"'`(){}<>=,;]|\?{1,3}[ \t]?[\w\"])"
    ).encode(),
    _FAST,
)
"""Name and the text before its value: an assignment sign, a comma, a bracket or a call, the end of a tag, the bar of
a table, a blank before a literal or a word, *is* in a script without blanks."""
_WORDS = re.compile(rf"(?i)(?:{_SPACED})\w*|[\w.$\x01\x02-]+".encode())
_ASSIGNING = (b"=", b":", b"->", b"=>", b"<-", b"||", b"??", b"?:", b" or", b"\tor", b" to", b"\tto", b"<<<")
QUOTES = (b'"', b"'", b"`")
ASSIGNS, OPENS, TAGGED, BESIDE, APART = range(5)
"""Signs after a name: assignment; comma, bracket or call; end of a tag; blank before a literal; blank before a word."""
_COMMA = ord(",")
_LINE_SEEN = 200
"""Number of characters read before a name."""


class Name(NamedTuple):
    """Secret name in an ASCII text."""

    text: str
    before: bytes
    """Text before it in its line."""
    sign: int
    """Sign after it, one of the constants above."""
    at: int
    """Position after the sign."""
    until: int = -1
    """Position after the name."""


def names(plain: bytes) -> Iterator[tuple[Name, int]]:
    """Yield the secret names in a text, each with the position of the next one."""
    pending: Name | None = None
    line = 0
    for match in _NAME_AND_SIGN.finditer(plain):
        start, end = match.span()
        matched = plain[start:end]
        raw_name = matched[: _WORDS.match(matched).end()].rstrip(b"-.")  # type: ignore[union-attr]  # it begins with a name
        name = raw_name.decode().replace(" ", "_")
        if not is_secret_name(name):
            continue
        sign, width = _sign(matched[len(raw_name) :])
        if name.lower() == "pass" and (sign > OPENS or len(_unescape(matched[len(raw_name) :])) > len(" :=")):
            continue  # the verb *pass*
        line = max(plain.rfind(b"\n", max(line, start - _LINE_SEEN), start) + 1, line, start - _LINE_SEEN)
        if pending is not None:
            yield pending, start
        before = plain[line:start]
        is_item = (matched[-1] == _COMMA and _is_item(before, matched[len(raw_name) :])) or _is_type(before)
        pending = None if is_item else Name(name, before, sign, end - width, start + len(raw_name))
    if pending is not None:
        yield pending, len(plain)


def _sign(suffix: bytes) -> tuple[int, int]:
    """Return the sign after a name, and the number of characters read after it."""
    if suffix.endswith(_ASSIGNING):
        return ASSIGNS, 0
    if suffix.endswith((b",", b"(", b"{")):
        return OPENS, 0
    if suffix.endswith(b">"):
        return TAGGED, 0
    if suffix.endswith(b"|"):
        return BESIDE, 1
    if suffix.startswith(b"?") and not suffix.endswith(b" "):
        return BESIDE, 1
    width = len(suffix) - 1 - max(suffix.rfind(b" "), suffix.rfind(b"\t"))
    is_text = suffix.endswith((*QUOTES, b"@", b"~", b"%", b"[")) or suffix[-1:] in b"<|/!"
    return (BESIDE if is_text else APART), width


def _is_type(before: bytes) -> bool:
    """Return whether a name is the end of a quoted type: `"AWS::RDS::Secret"`."""
    return before.endswith(b"::") and (b'"' in before or b"'" in before)


def _is_item(before: bytes, closed: bytes) -> bool:
    """Return whether a name and a comma form no pair: a value (`kind="auth", …`), the end of a path or of brackets."""
    return _unescape(before)[:-1].rstrip().endswith((b"=", b":", b">")) or before.endswith(b"/") or b")" in closed


def _unescape(text: bytes) -> bytes:
    """Return a text without the backslashes of JSON in JSON."""
    return text.replace(b"\\", b"")
