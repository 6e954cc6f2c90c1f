"""Disguises: loaded secrets found in encoded or transformed form. Pure.

A value is searched for verbatim and backwards, in hex, in base64 (also twice) and in rot13, in the letters and digits
of a text alone, regardless of characters in between: white space, quotation marks, dashes, the `+` of code. Escapes are
decoded first: `%41`, `&#65;`, `\u0041`, `\x41`, letters of other widths and scripts.
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
from bot.models.visible import latin, strip_invisible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SHORTEST = 8
"""Minimum number of letters and digits of a value for this search."""
_WITHOUT_DIGIT = 16
"""Minimum for a value without a digit, which words of a text could form."""
_SIGNS = bytes(set(range(128)) - {*b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"})
_LOUD = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")
_BLANKS = b" \t\r\n\v\f\"'`\\+,"
_ESCAPE = re2.compile(
    rb"%[0-9A-Fa-f]{2}|&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});|\\u\{[0-9A-Fa-f]{1,6}\}|\\[uU][0-9A-Fa-f]{4,8}"
    rb"|\\[xX][0-9A-Fa-f]{2}|\\[0-3][0-7]{2}|U\+[0-9A-Fa-f]{4}"
)
_TWICE = 2
_LONG = 256
"""Length in characters above which a form is searched for separately."""
_QUIET = re2.Options()
_QUIET.log_errors = False
_QUIET.max_mem = 64 << 20


class Disguises:
    """Encoded forms of the values, and their search."""

    def __init__(self, values: Iterable[str]) -> None:
        unique_values = sorted(set(values))
        dense = [form for value in unique_values for form in _dense(value)]
        whole = [form for value in unique_values for form in _join_value(value)]
        self._dense, self._join_value = _Needles(dense), _Needles(whole)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of the values: first position, and the position after the last."""
        places = []
        for depth, view in enumerate(_views(text)):
            for needles, normalise in ((self._dense, _letters), (self._join_value, _strip_quotes)):
                if spans := needles.find_all(normalise(view)):
                    places += _map_spans(spans, *_view_with_places(text, depth), normalise)
        return places


class _Needles:
    """Forms that are searched for together; long ones separately, since their pattern would be too large."""

    def __init__(self, forms: Iterable[bytes]) -> None:
        longest_first = sorted(set(forms), key=lambda form: (-len(form), form))
        self._long = [form for form in longest_first if len(form) > _LONG]
        short = [re2.escape(form) for form in longest_first if len(form) <= _LONG]
        self._short = re2.compile(b"|".join(short), _QUIET) if short else None

    def find_all(self, content: bytes) -> list[tuple[int, int]]:
        """Return the spans of all matches."""
        spans = [match.span() for match in self._short.finditer(content)] if self._short else []
        for form in self._long:
            at = content.find(form)
            while at >= 0:
                spans.append((at, at + len(form)))
                at = content.find(form, at + len(form))
        return spans


def _dense(value: str) -> Iterator[bytes]:
    """Yield the letters and digits of a value's forms, if they are sufficient to recognise it."""
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
    """Yield the constant part of a value in base64 for each offset in the encoded data."""
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + content).decode()
        # The first and the last characters also encode bits of the neighbouring bytes.
        start, end = (0, 2, 3)[before], len(encoded.rstrip("=")) - bool((before + len(content)) % 3)
        form = re.sub(r"[+/=]", "", encoded[start:end]).encode()
        if len(form) >= SHORTEST:
            yield form


def _join_value(value: str) -> Iterator[bytes]:
    """Yield a value with its special characters, without blanks and quotation marks, if its letters alone say too
    little."""
    for form in (value, value[::-1]):
        unquoted = _strip_quotes(form)
        if len(unquoted) >= SHORTEST - 1:
            yield unquoted


def _letters(text: str) -> bytes:
    return text.encode("ascii", "ignore").translate(_LOUD, _SIGNS)


def _strip_quotes(text: str) -> bytes:
    return text.encode("ascii", "ignore").translate(None, _BLANKS)


def _views(text: str) -> Iterator[str]:
    """Yield the text in ASCII letters, then with its escapes decoded."""
    view = text if text.isascii() else latin(strip_invisible(text))
    yield view
    for _ in range(_TWICE):
        read = "".join(piece for piece, _, _ in _pieces(view))
        if read == view:
            return
        view = read
        yield view


def _view_with_places(text: str, depth: int) -> tuple[str, list[tuple[int, int]]]:
    """Return the view of that depth, and for each of its characters the span in the text."""
    view, places = text, [(at, at + 1) for at in range(len(text))]
    if not text.isascii():
        read = [(_character(char), place) for char, place in zip(text, places, strict=True)]
        view = "".join(chars for chars, _ in read)
        places = [place for chars, place in read for _ in chars]
    for _ in range(depth):
        pieces = _pieces(view)
        previous = places
        places = []
        for piece, first, last in pieces:
            is_read = piece != view[first:last]
            places += [(previous[first][0], previous[last - 1][1])] * len(piece) if is_read else previous[first:last]
        view = "".join(piece for piece, _, _ in pieces)
    return view, places


def _pieces(text: str) -> list[tuple[str, int, int]]:
    """Split a text into pieces with decoded escapes; each with its span."""
    pieces: list[tuple[str, int, int]] = []
    at = 0
    for match in _ESCAPE.finditer(text.encode("ascii", "replace")):
        first, last = match.span()
        pieces += ((text[at:first], at, first), (_character(text[first:last]), first, last))
        at = last
    return [piece for piece in (*pieces, (text[at:], at, len(text))) if piece[1] < piece[2]]


@lru_cache(maxsize=2048)
def _character(escape: str) -> str:
    """Decode one escape or one character of another script; unchanged if it is none."""
    if len(escape) == 1:
        return escape if escape.isascii() else latin(strip_invisible(escape))
    if escape[0] == "&":
        return html.unescape(escape)
    digits = re.sub(r"^%|^\\[uUxX]\{?|^U\+|^\\|\}$", "", escape)
    base = 8 if escape[0] == "\\" and escape[1].isdigit() else 16
    number = int(digits, base)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else escape


def _map_spans(
    spans: list[tuple[int, int]], view: str, places: list[tuple[int, int]], normalise: Callable[[str], bytes]
) -> list[tuple[int, int]]:
    """Map spans in the filtered characters of a view to spans in the text."""
    stays = [at for at, char in enumerate(view) if normalise(char)]
    return [(places[stays[first]][0], places[stays[last - 1]][1]) for first, last in spans]
