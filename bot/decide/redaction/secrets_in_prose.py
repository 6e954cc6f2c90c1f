"""Values that a sentence tells behind a name which says that they are secret: `my password: … is refused`. Pure.

People write on behind a value, quote it with `>`, make its name bold or put both in a row of a table. Behind the name
stands a sign (a colon, an equals sign, an arrow, a dash, a bar, *is* in some languages) or nothing, then one word.
Prose has words there, too: it must look typed or like chance.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import re2

from bot.decide.redaction.given_values import is_password, is_said, is_secret_inside, is_typed
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
_ASIDE = r"(?:[ \t]{0,2}[(\[][^()\[\]\n]{0,40}[)\]])?"
"""What is said of a name between brackets: `password (staging)`."""
_SIGN = (
    r"(?:(?:-{1,2}|=|:|\||/)[ \t]{0,40})?(?::[a-z\d_+-]{1,30}:[ \t]{0,2})?"
    r"(?:[\w.@+-]{1,40}(?:[ \t]{1,2}/[ \t]{1,2}|/))?[*_~`|(]{0,3}[ \t]{0,2}"
)
_WORD = r"(?:\r?\n[> \t]{0,9})?([^\s\"'`,;(){}\[\]<>|\\]{6,})"
_FORMS = tuple(
    re2.compile(form.encode())
    for form in (
        rf"[*_~`|]{{0,3}}{_ASIDE}[ \t]{{0,40}}{_SIGN}{_WORD}",
        rf"(?i){_ASIDE}[ \t]{{0,3}}(?:[\w.?]{{1,20}}[ \t]){{0,5}}?(?:\([^()\n]{{1,40}}\)[ \t])?"
        rf"(?:(?:{_IS})[ \t]{{1,3}}|[\w.?]{{1,20}}:[ \t])"
        r"(?:(?:now|still|jetzt|also)[ \t])?"
        rf"{_SIGN}{_WORD}",
    )
)
"""What stands between a name with its sign and a word, and the word: without *is*, and with it."""
_FAST = re2.Options()
_FAST.never_capture = True
_ADDRESS = re2.compile(rb"[A-Za-z_]:[^\s\"'`@/:;,(){}\[\]<>|\\]{6,60}@[A-Za-z]", _FAST)
_ONE_SCRIPT = re.compile("[!-~\u00a1-\u036f\u1e00-\u1eff]+|[!-~\u0370-\u058f]+")
"""The word where the sentence goes on without a blank, in another script."""
_DIGIT = re.compile(rb"\d|[a-z][A-Z]")
_LONG = re.compile(rb"[^\s\"'`,;(){}\[\]<>|\\]{6}")
"""What every such word has in it."""
_WIDEST = 40
"""Characters of a word, where it is what the next name stands in, that are looked at for that."""
_NO_BLANKS = re.compile("[\u2e80-\ufaff\uff01-\uff0f\uff1a-\uff20]")
_END = ".,:?*_~"
"""What ends a sentence or a mark, and no value."""
_LONGEST = 300
"""Characters behind a name that are looked at."""
_OF_CODE = re.compile(
    r"&[\w.%-]+=|[!=]=|=!|&&|^[#.&?*%@$]|://|\w/[\w.]|^[\w-]+=|[%$]\w$|%[\dA-Fa-f]{2}|^[a-z]+\d?(?:[A-Z][a-z]+\d?)+$"
)
_TERM = re.compile(
    r"(?i)(?:base|utf|sha|md|aes|des|rsa|hs|rs|es|ps|oauth|argon|bcrypt|iso|rfc|win|windows|http|log|java|python|ubuntu|debian)[-_]?\d"
)
_BOTH = re.compile(r"^(?=.*[a-z])(?=.*[A-Z]).{12}")
"""Letters of both cases in a long value: no tag and no commit in front of a host."""
_MIXED = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d{3})[\w.+=-]{8,40}")
"""A value of a person's without a sign."""


def told(plain: bytes, name: Name, until: int, text: str, offset: int) -> Iterator[tuple[int, int]]:
    """Where the word stands in the text that a name in its plain piece is given by a sentence."""
    at = name.at
    if name.sign == TAGGED or (name.sign == OPENS and plain[at - 2 : at] != b" ("):
        return
    near = min(until + _WIDEST, at + _LONGEST)
    if not _DIGIT.search(plain, name.until, near) or not _LONG.search(plain, name.until, near):
        return
    end = _end(plain, at)
    for form, start in product(_FORMS, (at, name.until) if at > name.until + 1 else (at,)):
        found = form.match(plain, start, end)
        if found is None or found.start(1) > until:
            continue
        first = offset + found.start(1)
        if value := _value(name.said, text, first, offset + found.end(1)):
            yield first, first + len(value)
            return


def _end(plain: bytes, at: int) -> int:
    """Where the line ends in which a value may stand, or the next one where nothing more stands in this one."""
    end = plain.find(b"\n", at, at + _LONGEST)
    if end >= 0 and not plain[at:end].strip(b"*_~`|: \t\r"):
        end = plain.find(b"\n", end + 1, at + _LONGEST)
    if end < 0:  # a word is not cut
        end = max(plain.rfind(b" ", at, at + _LONGEST), at) if at + _LONGEST < len(plain) else len(plain)
    return end


def addressed(plain: bytes, text: str) -> Iterator[tuple[int, int]]:
    """Where a password stands in front of a host without a scheme: `ana:…@db.example.org`."""
    for match in _ADDRESS.finditer(plain) if b"@" in plain else ():
        first = match.start() + 2
        last = plain.index(b"@", first)
        value = text[first:last]
        if _is_told("password", value) and (is_typed(value) or (is_random(value) and _BOTH.search(value))):
            yield first, last


def without_sentence(text: str, first: int, last: int) -> int:
    """Where a word of plain letters ends, behind which a sentence goes on in a script that has no blanks."""
    found = _NO_BLANKS.search(text, first, last) if text[first].isascii() else None
    return found.start() if found else last


def _value(name: str, text: str, first: int, last: int) -> str:
    """The value that begins at a place, without the end of the sentence; empty where there is none."""
    word = _ONE_SCRIPT.match(text, first, last)
    whole = word.group().rstrip(_END) if word else ""
    return next((value for value in (whole.rstrip(_END + "!"), whole) if _is_told(name, value)), "")


@lru_cache(maxsize=1024)
def _is_told(name: str, value: str) -> bool:
    """Return whether a word looks like a secret in a sentence."""
    if not any(map(str.isdigit, value)):
        return is_random(value) and is_secret_inside(name, value)
    if _OF_CODE.search(value) or _TERM.match(value) or not is_said(value):
        return False
    if is_secret_inside(name, value):
        return True
    return is_password(name) and (is_typed(value) or bool(_MIXED.fullmatch(value)))
