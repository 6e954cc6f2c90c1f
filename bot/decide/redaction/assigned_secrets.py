"""Assigned secrets: values assigned to a secret's name in code, settings, commands and addresses. Pure.

The name is recognised (*password, secret, token, api key*, in many languages), and its value comes after an assignment
sign, in a call or in a pair: a string literal of any language (`decide/redaction/literals`), also within calls,
conditions and defaults, or a word without quotation marks in settings, commands and addresses. It must look like a
value and not like code: no other name, no placeholder, no sentence (`decide/redaction/given_values`).
`decide/redaction/passed_secrets` finds values that are secret by their position alone.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import re2

from bot.decide.redaction.given_values import is_password, is_secret, is_secret_inside, is_secret_name, is_weak_password
from bot.decide.redaction.literals import MARK, REACH, Literal, literals
from bot.decide.redaction.manifest_secrets import find_in_manifests
from bot.decide.redaction.passed_secrets import find_passed
from bot.decide.redaction.program_messages import is_in_message
from bot.decide.redaction.secret_names import APART, ASSIGNS, NAME, OPENS, QUOTES, SHORT_NAME, TAGGED, Name, names
from bot.decide.redaction.secret_words import in_plain
from bot.decide.redaction.secrets_in_prose import (
    find_in_addresses,
    find_secrets_in_sentence,
    is_next_name,
    without_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bot.decide.redaction.spans import Span

    Look = Callable[[str, str], bool]

ASSIGNED = "a value assigned to a secret's name"
"""Kind of secret that `Redactor.kinds` reports."""


class AssignedValue(NamedTuple):
    """Value with its spans: one, or several that code concatenates."""

    value: str
    spans: tuple[Span, ...]


_KEYED = re2.compile(
    (
        r"(?i)(?:\b(?:name|key|id|variable|parameter|entry|property)\\{0,7}[\"']?[ \t]{0,3}"
        r"(?:[:=>][ \t]{0,3}\\{0,7}[\"']?|[\"']))"
        rf"({NAME})(?:\\{{0,7}}[\"'<,]|[ \t]*\r?\n)"
    ).encode()
)
"""Name in a separate field, next to one for the value, also in nested JSON."""
_PAIRED = re2.compile(
    rb"(?is)[\"'][^<>;=\n]{0,20}>[ \t\r\n]{0,20}(?:<(?:value|string)>)?|[^;]{0,120}?(?:<(?:value|string)>|"
    rb"\b(?:value|default(?:_?value)?|string)\\{0,7}[\"']?[ \t]{0,8}[=:])"
)
_ESCAPED = re2.compile(rf"(?i)\\[nrt](?:{NAME}|{SHORT_NAME})".encode())
_SETTING = re2.compile(
    rb"(?i)[ \t+-]*(?:[-*] )?"
    rb"(?:(?:export|set|setx|setenv|env|arg|local|declare|spring|- name|user|machine|default) ){0,2}[\"']?"
)
"""Prefix of a name in a line of settings."""
_HEAD = re2.compile(rb"(?i)[ \t(@:+*-]*(?:[#\w.:?-]+[ \t(*]+){0,3}[:@?\"'$]?")
"""Words before a name in a definition, a command of settings or a sentence."""
_TAG = rb"[ \t]{0,8}(?:![!\w]*[ \t]+|&\w+[ \t]+|[>|][+-]?[ \t]*\r?\n[ \t]+)?(?:\$\{\w+:[-=+]?|>)?"
_BARE = re2.compile(
    _TAG + rb"([^\s\"'`#;,(){}\[\]<>$&|\\][^\s\"'`;,(){}\[\]<>\\]*)[}\"']?[ \t]*(?:[ \t][;#][^\n]*)?(?:\r|\n|$)"
)
_DIRECTIVE = re2.compile(rb"([^\s\"'`#;,(){}\[\]<>$&|\\]+);[ \t]*(?:\r|\n|$)")
_WORD = re2.compile(rb"[ \t]{0,2}[\"']?([^\s\"'`#;,(){}\[\]<>$&|\\][^\s\"'`;,(){}\[\]<>\\]*)")
_FIELD = re2.compile(rb"[ \t]{0,2}[\"']?([^\s&;\"'`<>(){}\[\],$\\|][^\s&;#\"'`<>(){}\[\],\\]*)")
_AMPERSAND = re2.compile(rb"&[^\s&=;#\"'`<>(){}\[\],\\]+")
_DEFAULT = re2.compile(rb"[-=+?]?([^\s\"'`{}$]+)\}")
_ELEMENT = re2.compile(rb"[^<>\n]*>[ \t\r\n]{0,20}(?:<!\[CDATA\[)?([^<>\s\]]+)[ \t\r\n]{0,20}(?:\]\]>)?</")
_BRACED = re2.compile(rb"([^\s{}$]+)\}")
_INSIDE_ELEMENT = re2.compile(rb"[ \t\r\n]{0,20}([^<>\s\"']+)[ \t\r\n]{0,20}</")
_ALIKE = 6
_PAIR_SEEN = 200
"""Number of characters after a name in which a field for its value begins."""
_BEFORE_FLAG = (b"", b" ", b"\t", b'"', b"'", b"[", b"/")
_BEFORE_FIELD = (b"?", b"&", b";", b'"', b"'", b" ", b"\t", b",", b"{", b"(", b"|")
_BEFORE_ENTRY = (b"{", b",", b'"', b"'")


def find_assigned(text: str) -> Iterator[AssignedValue]:
    """Yield the values that are assigned to a secret's name in a text."""
    plain = in_plain(text)
    yield from _values(plain, text, 0)
    if b"\\" in plain:
        for first, last in _cut_around(match.span() for match in _ESCAPED.finditer(plain)):
            yield from _values(_read(plain[first:last]), text, first)
    for first, last in chain(find_passed(text, plain), find_in_addresses(plain, text), find_in_manifests(plain, text)):
        yield AssignedValue(text[first:last], ((first, last, ASSIGNED),))


def is_secret_field(name: Any, value: str) -> bool:
    """Return whether a JSON field is a secret, by its name and the look of its value."""
    if not isinstance(name, str):
        return False
    plain_name = in_plain(name).decode()
    return is_secret_name(plain_name) and is_secret(plain_name, value, bare=False)


def _values(plain: bytes, text: str, offset: int) -> Iterator[AssignedValue]:
    """Yield the values in an ASCII piece of a text, which begins at `offset`."""
    mark = -1
    for name, until in names(plain):
        for first, last, look in _value_places(plain, name, until):
            end = without_sentence(text, offset + first, offset + last)
            value, place = text[offset + first : end], ((offset + first, end, ASSIGNED),)
            if look(name.text, value):
                yield AssignedValue(value, place)
                break
        else:
            if mark < name.at:
                mark = _next_mark(plain, name.at)
            if name.sign != TAGGED and mark < until:
                yield from _find_literals(plain, name, until, text, offset)
            for first, last in find_secrets_in_sentence(plain, name, until, text, offset):
                if not is_next_name(plain, name, text[first:last]):
                    yield AssignedValue(text[first:last], ((first, last, ASSIGNED),))
    for match in _KEYED.finditer(plain):
        key, end = match.group(1).decode(), match.end()
        if is_secret_name(key) and (pair := _PAIRED.match(plain, end - 1, end + _PAIR_SEEN)):
            yield from _find_in_pair(plain, key, pair.end(), text, offset)


def _next_mark(plain: bytes, at: int) -> int:
    """Return the next position where a string literal may begin."""
    if plain[at : at + 1] in QUOTES:
        return at
    match = MARK.search(plain, at)
    return match.start() if match else len(plain)


def _cut_around(places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text from each position to where its value may end, without overlaps."""
    part: tuple[int, int] | None = None
    for start, end in places:
        if part is not None and start > part[1]:
            yield part
            part = None
        part = (part[0] if part is not None else start), end + REACH
    if part is not None:
        yield part


def _read(piece: bytes) -> bytes:
    """Replace the escapes of line breaks and tabs by as many characters."""
    for escape, replacement in ((b"\\n", b" \n"), (b"\\r", b"  "), (b"\\t", b"  ")):
        piece = piece.replace(escape, replacement)
    return piece


def _find_in_pair(plain: bytes, key: str, at: int, text: str, offset: int) -> Iterator[AssignedValue]:
    """Yield the secret in the field for the value."""
    name = Name(key, b"", ASSIGNS, at)
    if plain[at - 1 : at] == b">":
        match = _INSIDE_ELEMENT.match(plain, at)
        spans = [(*match.span(1), _as_text)] if match else []
    else:
        spans = list(_value_places(plain, name, len(plain)))
    for first, last, look in spans:
        value = text[offset + first : offset + last]
        if look(key, value):
            yield AssignedValue(value, ((offset + first, offset + last, ASSIGNED),))
            return
    yield from _find_literals(plain, name, at + 1 + _PAIR_SEEN // 10, text, offset)


def _find_literals(plain: bytes, name: Name, until: int, text: str, offset: int) -> Iterator[AssignedValue]:
    """Yield the string literals that are assigned to a name."""
    for group in literals(plain, name.at, until, inside=name.sign == OPENS):
        value = "".join(text[offset + literal.first : offset + literal.last] for literal in group)
        sure = group[0].is_sure and _is_direct(plain, name, group[0])
        is_key = not sure and plain[group[-1].last + 1 : group[-1].last + 2] == b":"
        if is_key or (name.sign == OPENS and _is_alike(name.text, value)) or is_next_name(plain, name, value):
            continue
        if (sure and is_secret(name.text, value, bare=False)) or is_secret_inside(name.text, value):
            yield AssignedValue(
                value, tuple((offset + literal.first, offset + literal.last, ASSIGNED) for literal in group)
            )


def _is_alike(name: str, value: str) -> bool:
    """Return whether a value begins like its name, as in a list of keys."""
    return name[:_ALIKE].lower() == value[:_ALIKE].lower() and len(value) > _ALIKE


def _is_direct(plain: bytes, name: Name, first: Literal) -> bool:
    """Return whether the syntax assigns the whole literal to the name, not only a part."""
    if name.sign == ASSIGNS:
        return not name.text.lower().endswith("passwords")
    if name.sign != OPENS:
        return first.is_near and _is_head(name.before)
    if plain[name.at - 1 : name.at] != b",":
        return is_password(name.text.rpartition(".")[2])
    return name.text.isupper() or name.before.endswith((b"'", b'"', b"`", b":"))


def _value_places(plain: bytes, name: Name, until: int) -> Iterator[tuple[int, int, Look]]:
    """Yield the positions of a possible unquoted value, and the check that it must pass."""
    at, before = name.at, name.before
    edge = before[-1:]
    if edge in (b"<", b":") and (name.sign == TAGGED or edge == b"<"):
        if match := _ELEMENT.match(plain, at - 1):
            yield *match.span(1), _as_text
    elif name.sign == OPENS and before.strip() == b"set" and (match := _BRACED.match(plain, at)):
        yield *match.span(1), _as_text
    if name.sign not in (ASSIGNS, APART) or plain[at : at + 9].lstrip(b" \t")[:1] in QUOTES:
        return
    for pattern, look in _unquoted_forms(plain, name, assigns=plain[at - 1 : at] == b"="):
        match = pattern.match(plain, at)
        if match is not None and match.start(1) < until:
            first, last = match.span(1)
            inside = plain[first:last].strip(b"*_")
            first = plain.index(inside, first, last)
            last = first + len(inside)
            yield first, _add_ampersands(plain, last) if pattern is _FIELD and edge not in (b"?", b"&") else last, look


@lru_cache(maxsize=1024)
def _is_entry(before: bytes) -> bool:
    """Return whether a name with a colon follows another field: `{`, a comma, a quotation mark, or `user=ana`."""
    word = (before.split() or [b""])[-1]
    return word[-1:] in _BEFORE_ENTRY or (before[-1:].isspace() and b"=" in word[1:])


def _add_ampersands(plain: bytes, last: int) -> int:
    """Return the end of a value outside of an address, where only a further field begins after an ampersand."""
    most = last + REACH
    while (match := _AMPERSAND.match(plain, last, most)) and plain[match.end() : match.end() + 1] != b"=":
        last = match.end()
    return last


def _unquoted_forms(plain: bytes, name: Name, *, assigns: bool) -> Iterator[tuple[Any, Look]]:
    """Yield the forms of an unquoted value, by the text before its name."""
    before, name_text, edge = name.before, name.text, name.before[-1:]
    if before.endswith(b"${"):
        yield _DEFAULT, _as_word
    elif not before.strip(b" \t+->") or _is_setting(before):
        yield _BARE, _as_text if _is_of_settings(plain, name, assigns=assigns) else _as_word
        if name.sign == APART and "_" in name_text:
            yield _DIRECTIVE, _as_word
    elif name.sign == ASSIGNS and not assigns and _is_head(before):
        yield _BARE, is_secret_inside
    if is_in_message(plain, name, assigns=assigns):
        yield _WORD, is_weak_password
    if edge in _BEFORE_FLAG and (
        name_text.startswith("-") or (name_text.isupper() and (assigns or name.sign == APART))
    ):
        yield _WORD, _as_text if assigns else _as_word
    elif edge in (b"", *_BEFORE_FIELD) and name.sign == ASSIGNS and (assigns or _is_entry(before)):
        yield _FIELD, _as_word


def _is_of_settings(plain: bytes, name: Name, *, assigns: bool) -> bool:
    """Return whether a line is part of settings, where an unquoted word is a value and no code name."""
    if name.before.strip(b" \t+->"):
        return True
    if not assigns:
        return name.sign == ASSIGNS
    return plain[name.at : name.at + 1] not in b" \t" and (name.text.isupper() or not name.before)


@lru_cache(maxsize=1024)
def _is_setting(before: bytes) -> bool:
    return bool(_SETTING.fullmatch(before))


@lru_cache(maxsize=1024)
def _is_head(before: bytes) -> bool:
    return bool(_HEAD.fullmatch(before))


def _as_text(name: str, value: str) -> bool:
    return is_secret(name, value, bare=False)


def _as_word(name: str, value: str) -> bool:
    return is_secret(name, value, bare=True)
