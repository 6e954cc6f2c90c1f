"""Values that this process holds, found in what a text makes of them. Pure.

A value is looked for as it is and backwards, in hex, in base64 (twice over, too) and in rot13; and all that in the
letters and digits of a text alone, whatever stands between them: white space, quote marks, dashes, the `+` of code.
Before, escapes are read: `%41`, `&#65;`, `\u0041`, `\x41`, letters in other widths and of other scripts.
"""

from __future__ import annotations

import base64
import codecs
import html
import re
from functools import lru_cache
from typing import TYPE_CHECKING

import re2

from bot.decide.redaction.value_shape import is_random
from bot.models.visible import bare, latin

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SHORTEST = 8
"""Letters and digits that a value must have to be looked for in those of a text."""
_WITHOUT_DIGIT = 16
"""The same for a value without a digit, which words of a text could make up."""
_SIGNS = bytes(set(range(128)) - {*b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"})
_LOUD = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")
_BLANKS = b" \t\r\n\v\f\"'`\\+,"
_ESCAPE = re2.compile(
    rb"%[0-9A-Fa-f]{2}|&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});|\\u\{[0-9A-Fa-f]{1,6}\}|\\[uU][0-9A-Fa-f]{4,8}"
    rb"|\\[xX][0-9A-Fa-f]{2}|\\[0-3][0-7]{2}|U\+[0-9A-Fa-f]{4}"
)
_TWICE = 2
_LONG = 256
"""Characters of a form above which it is looked for by itself."""
_QUIET = re2.Options()
_QUIET.log_errors = False
_QUIET.max_mem = 64 << 20


class Disguises:
    """What the values may look like."""

    def __init__(self, values: Iterable[str]) -> None:
        known = sorted(set(values))
        dense = [form for value in known for form in _dense(value)]
        whole = [form for value in known for form in _whole(value)]
        self._dense, self._whole = _Needles(dense), _Needles(whole)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where a value stands: its first place, and the place after its last."""
        found = []
        for depth, seen in enumerate(_views(text)):
            for needles, kept in ((self._dense, _letters), (self._whole, _unquoted)):
                if spans := needles.found(kept(seen)):
                    found += _placed(spans, *_view_with_places(text, depth), kept)
        return found


class _Needles:
    """Forms that are looked for all at once; long ones one by one, since a pattern of them would be too large."""

    def __init__(self, forms: Iterable[bytes]) -> None:
        longest_first = sorted(set(forms), key=lambda form: (-len(form), form))
        self._long = [form for form in longest_first if len(form) > _LONG]
        short = [re2.escape(form) for form in longest_first if len(form) <= _LONG]
        self._short = re2.compile(b"|".join(short), _QUIET) if short else None

    def found(self, content: bytes) -> list[tuple[int, int]]:
        """The first place of each, and the place after its last."""
        found = [match.span() for match in self._short.finditer(content)] if self._short else []
        for form in self._long:
            at = content.find(form)
            while at >= 0:
                found.append((at, at + len(form)))
                at = content.find(form, at + len(form))
        return found


def _dense(value: str) -> Iterator[bytes]:
    """The letters and digits of a value as they may stand in a text, where they are enough to know it by."""
    raw = value.encode()
    forms = [value, value[::-1], codecs.encode(value, "rot13")]
    for form in forms:
        letters = _letters(latin(form))
        is_known = len(letters) >= _WITHOUT_DIGIT or re.search(rb"\d", letters) or is_random(value)
        if len(letters) >= SHORTEST and is_known:
            yield letters
    for content in (raw, raw[::-1]):
        yield content.hex().encode()
        yield content.hex()[::-1].encode()
        yield _letters(base64.b32encode(content).decode())
        for once in _in_base64(content):
            yield once.lower()
            for twice in _in_base64(once):
                yield twice.lower()


def _in_base64(content: bytes) -> Iterator[bytes]:
    """What stays the same of a value in base64 wherever it starts in what was encoded."""
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + content).decode()
        # The first and the last characters also hold bits of what stands beside the value.
        skipped, kept = (0, 2, 3)[before], len(encoded.rstrip("=")) - bool((before + len(content)) % 3)
        form = re.sub(r"[+/=]", "", encoded[skipped:kept]).encode()
        if len(form) >= SHORTEST:
            yield form


def _whole(value: str) -> Iterator[bytes]:
    """A value with its signs, for one whose letters alone say too little; blanks and quote marks aside."""
    for form in (value, value[::-1]):
        kept = _unquoted(form)
        if len(kept) >= SHORTEST - 1:
            yield kept


def _letters(text: str) -> bytes:
    return text.encode("ascii", "ignore").translate(_LOUD, _SIGNS)


def _unquoted(text: str) -> bytes:
    return text.encode("ascii", "ignore").translate(None, _BLANKS)


def _views(text: str) -> Iterator[str]:
    """The text in plain letters, and with its escapes read."""
    seen = text if text.isascii() else latin(bare(text))
    yield seen
    for _ in range(_TWICE):
        read = "".join(piece for piece, _, _ in _pieces(seen))
        if read == seen:
            return
        seen = read
        yield seen


def _view_with_places(text: str, depth: int) -> tuple[str, list[tuple[int, int]]]:
    """The view of that depth, and which places of the text each of its characters comes from."""
    seen, places = text, [(at, at + 1) for at in range(len(text))]
    if not text.isascii():
        read = [(_character(char), place) for char, place in zip(text, places, strict=True)]
        seen = "".join(chars for chars, _ in read)
        places = [place for chars, place in read for _ in chars]
    for _ in range(depth):
        pieces = _pieces(seen)
        known = places
        places = []
        for piece, first, last in pieces:
            is_read = piece != seen[first:last]
            places += [(known[first][0], known[last - 1][1])] * len(piece) if is_read else known[first:last]
        seen = "".join(piece for piece, _, _ in pieces)
    return seen, places


def _pieces(text: str) -> list[tuple[str, int, int]]:
    """The text in pieces, its escapes read; each with its first place and the place after its last."""
    pieces: list[tuple[str, int, int]] = []
    at = 0
    for match in _ESCAPE.finditer(text.encode("ascii", "replace")):
        first, last = match.span()
        pieces += ((text[at:first], at, first), (_character(text[first:last]), first, last))
        at = last
    return [piece for piece in (*pieces, (text[at:], at, len(text))) if piece[1] < piece[2]]


@lru_cache(maxsize=2048)
def _character(said: str) -> str:
    """What one escape, or one character of another script, stands for; itself where it stands for none."""
    if len(said) == 1:
        return said if said.isascii() else latin(bare(said))
    if said[0] == "&":
        return html.unescape(said)
    digits = re.sub(r"^%|^\\[uUxX]\{?|^U\+|^\\|\}$", "", said)
    base = 8 if said[0] == "\\" and said[1].isdigit() else 16
    number = int(digits, base)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else said


def _placed(
    spans: list[tuple[int, int]], seen: str, places: list[tuple[int, int]], kept: Callable[[str], bytes]
) -> list[tuple[int, int]]:
    """The places in the text of what was found in the kept characters of a view."""
    stays = [at for at, char in enumerate(seen) if kept(char)]
    return [(places[stays[first]][0], places[stays[last - 1]][1]) for first, last in spans]
