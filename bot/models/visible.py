"""Visible part of a text: invisible characters and direction overrides are removed.

Applied before foreign text is shown to a person or a model, and before the search for secrets, so that an invisible
character cannot split one.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import re2

_JOINED = "\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff\u0750-\u077f\u08a0-\u08c9\u0900-\u0dff"
"""Letters of scripts that use the zero-width non-joiner in spelling: Arabic, Persian, those of India."""

_HIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters except tab and line break
    "\xad\u034f\u061c\u180b-\u180f\u200b\u200d-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible, bidi
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef"  # tags and the variation selectors that can carry a text
)
_UNSAFE = re.compile(
    f"[{_HIDDEN}]|(?<![{_JOINED}])\u200c|\u200c(?![{_JOINED}])"  # the non-joiner is removed unless it is spelling
)
_SUSPECT = re2.compile(f"[\r\u200c{_HIDDEN}]".encode())


def clean(text: str) -> str:
    """Remove control, bidi, tag and invisible characters, and halves of surrogate pairs.

    A non-joiner between letters of a script that uses it in spelling is kept.
    """
    try:
        if not _SUSPECT.search(text.encode()):
            return text
    except UnicodeEncodeError:
        pass  # halves of surrogate pairs are replaced below
    return _UNSAFE.sub("", text.encode("utf-8", "replace").decode().replace("\r\n", "\n"))


_IGNORABLE = (
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""All Default_Ignorable code points of Unicode, and the braille pattern without a dot."""
_IS_IGNORABLE = re2.compile(_IGNORABLE.encode())
_EACH_IGNORABLE = re.compile(_IGNORABLE)

_ALIKE = (
    "\u0430a \u0441c \u0501d \u0435e \u0451e \u04bbh \u0456i \u0457i \u0458j \u043ak \u04cfl \u043cm \u043eo \u0440p"
    " \u0455s \u0442t \u0443y \u0445x \u051bq \u051dw \u0410A \u0412B \u0421C \u0415E \u041dH \u0406I \u0408J \u041aK"
    " \u041cM \u041eO \u0420P \u0405S \u0422T \u0425X \u03b1a \u03b5e \u03b9i \u03bak \u03bdv \u03bfo \u03c1p \u03c4t"
    " \u03c5u \u03c7x \u0391A \u0392B \u0395E \u0396Z \u0397H \u0399I \u039aK \u039cM \u039dN \u039fO \u03a1P \u03a4T"
    " \u03a5Y \u03a7X \u0131i \u0251a \u0261g \u2010- \u2011- \u2012- \u2013- \u2014- \u2212- \u2024. \u3002."
)
_LATIN = str.maketrans({pair[0]: pair[1] for pair in _ALIKE.split(" ")})
_MANY = 100
"""Number of distinct characters up to which each is replaced separately, which is faster."""


@lru_cache(maxsize=4)
def strip_invisible(text: str) -> str:
    """Remove every invisible character for comparisons, including those used in spelling."""
    if text.isascii() or not _IS_IGNORABLE.search(text.encode("utf-8", "replace")):
        return text
    return _EACH_IGNORABLE.sub("", text)


@lru_cache(maxsize=4)
def latin(text: str) -> str:
    """Replace wide, bold and circled letters, and lookalikes of other scripts, by plain letters."""
    strange = {sign for sign in set(text) if not sign.isascii()}
    if len(strange) > _MANY:
        return unicodedata.normalize("NFKC", text).translate(_LATIN)
    for sign in strange:
        text = text.replace(sign, unicodedata.normalize("NFKC", sign).translate(_LATIN))
    return text


_FILLERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and signs that show nothing."""


def is_blank(text: str) -> bool:
    """Return whether `text` is invisible to a reader: spaces, fillers, marks without a letter."""
    return all(each in _FILLERS or unicodedata.category(each)[0] in "ZCM" for each in text)
