"""Secret names in the messages of programs: `login failed password=…`. Pure, on re2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from bot.decide.redaction.secret_names import APART, ASSIGNS

if TYPE_CHECKING:
    from bot.decide.redaction.secret_names import Name

_MESSAGE = re2.compile(rb"[^(){};,=<>\"'`$|*/\\]*[\w\]:][ \t]+")
"""Prefix of a name in a message: words, no code."""
_KEYWORD = re2.compile(
    rb"[ \t#+-]*(?:and|assert|async|await|case|class|const|def|elif|else|enum|export|final|for|func|fn|if|import|let"
    rb"|new|not|or|private|protected|public|return|self|static|struct|type|val|var|where|while|with|yield)\b"
)


def is_in_message(plain: bytes, name: Name, *, assigns: bool) -> bool:
    """Return whether a program's message has a value directly after a name; `assigns`: after an equals sign."""
    if not _MESSAGE.fullmatch(name.before) or _KEYWORD.match(name.before):
        return False
    if name.sign == APART:
        return name.text.startswith("-")
    end = plain.find(b"\n", name.at)
    rest = plain[name.at : end if end >= 0 else len(plain)]
    if name.sign != ASSIGNS or not rest:
        return False
    return rest[:1] not in b" \t" if assigns else rest[:1] == b" " and len(rest.split()) == 1
