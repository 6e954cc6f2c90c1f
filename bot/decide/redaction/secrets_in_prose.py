"""Secrets in sentences, after a secret's name: `my password: … is refused`. Pure.

People continue the sentence after a value, quote it with `>`, make its name bold or put both in a table row. A sign
(colon, equals sign, arrow, dash, bar, *is* in some languages) or nothing follows the name, then one word. Since
ordinary words occur there too, it must look typed or random.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import re2

from bot.decide.redaction.given_values import is_password, is_plausible_password, is_secret_inside, is_typed
from bot.decide.redaction.secret_names import OPENS, TAGGED
from bot.decide.redaction.value_shape import is_random

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.decide.redaction.secret_names import Name

_IS = (
    r"is|was|are|be|to|ist|hei(?:ss|\?)t|auf|lautet|war"
    r"|est|es|era|e|sao|foi|jest|to|je|bylo|ar|er|on|oli|van|wa|adalah|ialah|la|esta|ni|yra|eshte"
    r"|\?{1,4}"
)
_IN_BRACKETS = r"(?:[ \t]{0,2}[(\[][^()\[\]\n]{0,40}[)\]])?"
"""Bracketed remark after a name: `password (staging)`."""
_SIGN = (
    r"(?:(?:-{1,2}|=|:|\||/)[ \t]{0,40})?(?::[a-z\d_+-]{1,30}:[ \t]{0,2})?"
    r"(?:[\w.@+-]{1,40}(?:[ \t]{1,2}/[ \t]{1,2}|/))?[*_~`|(]{0,3}[ \t]{0,2}"
)
_WORD = r"(?:\r?\n[> \t]{0,9})?([^\s\"'`,;(){}\[\]<>|\\]{6,})"
_FORMS = tuple(
    re2.compile(form.encode())
    for form in (
        rf"[*_~`|]{{0,3}}{_IN_BRACKETS}[ \t]{{0,40}}{_SIGN}{_WORD}",
        rf"(?i){_IN_BRACKETS}[ \t]{{0,3}}(?:[\w.?]{{1,20}}[ \t]){{0,5}}?(?:\([^()\n]{{1,40}}\)[ \t])?"
        rf"(?:(?:{_IS})[ \t]{{1,3}}|[\w.?]{{1,20}}:[ \t])"
        r"(?:(?:now|still|jetzt|also)[ \t])?"
        rf"{_SIGN}{_WORD}",
    )
)
"""Text between a name with its sign and a word, and the word: without *is*, and with it."""
_FAST = re2.Options()
_FAST.never_capture = True
_ADDRESS = re2.compile(rb"[A-Za-z_]:[^\s\"'`@/:;,(){}\[\]<>|\\]{6,60}@[A-Za-z]", _FAST)
_ONE_SCRIPT = re.compile("[!-~\u00a1-\u036f\u1e00-\u1eff]+|[!-~\u0370-\u058f]+")
"""Word in one script, where the sentence continues in another without a blank."""
_DIGIT = re.compile(rb"\d|[a-z][A-Z]")
_LONG = re.compile(rb"[^\s\"'`,;(){}\[\]<>|\\]{6}")
"""Characters that every such word contains."""
_WIDEST = 40
"""Number of characters of a word that are read when it contains the next name."""
_NO_BLANKS = re.compile("[\u2e80-\ufaff\uff01-\uff0f\uff1a-\uff20]")
_END = ".,:?*_~"
"""Characters that end a sentence or formatting, but no value."""
_LONGEST = 300
"""Number of characters read after a name."""
_OF_CODE = re.compile(
    r"&[\w.%-]+=|[!=]=|=!|&&|^[#.&?*%@$]|://|\w/[\w.]|^[\w-]+=|[%$]\w$|%[\dA-Fa-f]{2}|^[a-z]+\d?(?:[A-Z][a-z]+\d?)+$"
)
_TERM = re.compile(
    r"(?i)(?:base|utf|sha|md|aes|des|rsa|hs|rs|es|ps|oauth|argon|bcrypt|iso|rfc|win|windows|http|log|java|python|ubuntu|debian)[-_]?\d"
)
_MIXED_CASE = re.compile(r"^(?=.*[a-z])(?=.*[A-Z]).{12}")
"""Mixed case in a long value, as opposed to a tag or a commit in front of a host."""
_MIXED = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d{3})[\w.+=-]{8,40}")
"""Typed value without a special character."""

_BETWEEN_NAMES = re2.compile(rb"`(?:,[ \t]|[ \t](?:or|to)[ \t]|[ \t]\()")
_SLUG = re2.compile(
    r"(?:[a-z0-9]{1,12}[-_])*(?:[a-z]{3,12}[-_][a-z0-9]{1,12}|[a-z0-9]{1,12}[-_][a-z]{3,12})(?:[-_][a-z0-9]{1,12})*"
)
"""Name of a note, project or task: short parts, one of them a word."""


def find_secrets_in_sentence(plain: bytes, name: Name, until: int, text: str, offset: int) -> Iterator[tuple[int, int]]:
    """Yield the span of the word that a sentence assigns to a name."""
    at = name.at
    if name.sign == TAGGED or (name.sign == OPENS and plain[at - 2 : at] != b" ("):
        return
    near = min(until + _WIDEST, at + _LONGEST)
    if not _DIGIT.search(plain, name.until, near) or not _LONG.search(plain, name.until, near):
        return
    end = _end(plain, at)
    for form, start in product(_FORMS, (at, name.until) if at > name.until + 1 else (at,)):
        match = form.match(plain, start, end)
        if match is None or match.start(1) > until:
            continue
        first = offset + match.start(1)
        if value := _value(name.text, text, first, offset + match.end(1)):
            yield first, first + len(value)
            return


def is_next_name(plain: bytes, name: Name, value: str) -> bool:
    """Return whether a sentence lists a name of a note, project or task after another: `etc-passwd`, `note-2d4a`."""
    if not name.before.endswith(b"`") or plain[name.until : name.until + 1] != b"`":
        return False
    return bool(_BETWEEN_NAMES.match(plain, name.until) and _SLUG.fullmatch(value))


def _end(plain: bytes, at: int) -> int:
    """Return the end of the line with the value, or of the next one if nothing follows in this one."""
    end = plain.find(b"\n", at, at + _LONGEST)
    if end >= 0 and not plain[at:end].strip(b"*_~`|: \t\r"):
        end = plain.find(b"\n", end + 1, at + _LONGEST)
    if end < 0:  # do not cut a word
        end = max(plain.rfind(b" ", at, at + _LONGEST), at) if at + _LONGEST < len(plain) else len(plain)
    return end


def find_in_addresses(plain: bytes, text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of passwords before a host without a scheme: `ana:…@db.example.org`."""
    for match in _ADDRESS.finditer(plain) if b"@" in plain else ():
        first = match.start() + 2
        last = plain.index(b"@", first)
        value = text[first:last]
        if _is_secret_word("password", value) and (is_typed(value) or (is_random(value) and _MIXED_CASE.search(value))):
            yield first, last


def without_sentence(text: str, first: int, last: int) -> int:
    """Return the end of an ASCII word after which a sentence continues in a script without blanks."""
    match = _NO_BLANKS.search(text, first, last) if text[first].isascii() else None
    return match.start() if match else last


def _value(name: str, text: str, first: int, last: int) -> str:
    """Return the value at a position without the end of the sentence; empty without one."""
    word = _ONE_SCRIPT.match(text, first, last)
    whole = word.group().rstrip(_END) if word else ""
    return next((value for value in (whole.rstrip(_END + "!"), whole) if _is_secret_word(name, value)), "")


@lru_cache(maxsize=1024)
def _is_secret_word(name: str, value: str) -> bool:
    """Return whether a word in a sentence looks like a secret."""
    if not any(map(str.isdigit, value)):
        return is_random(value) and is_secret_inside(name, value)
    if _OF_CODE.search(value) or _TERM.match(value) or not is_plausible_password(value):
        return False
    if is_secret_inside(name, value):
        return True
    return is_password(name) and (is_typed(value) or bool(_MIXED.fullmatch(value)))
