"""The part of a text that a reader sees: what shows nothing, or turns the direction of reading, is taken out.

Called wherever foreign text is shown to a person (`blocks`) or to a model (`prompts/envelope`), and before secrets are
looked for (`decide/redaction/redactor`), so that an invisible character can split none.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import re2

_JOINED = "\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff\u0750-\u077f\u08a0-\u08c9\u0900-\u0dff"
"""Letters of scripts that write some words with the zero-width non-joiner in them: Arabic, Persian, those of India."""

_HIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters, but for tab and line break
    "\xad\u034f\u061c\u180b-\u180f\u200b\u200d-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible, bidi
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef"  # tags and the variation selectors that can carry a text
)
_UNSAFE = re.compile(
    f"[{_HIDDEN}]|(?<![{_JOINED}])\u200c|\u200c(?![{_JOINED}])"  # the non-joiner goes but where it is spelling
)
_SUSPECT = re2.compile(f"[\r\u200c{_HIDDEN}]".encode())


def clean(text: str) -> str:
    """`text` without control, bidi, tag and invisible characters, and without halves of surrogate pairs.

    A non-joiner between letters of a script that spells with it stays.
    """
    try:
        if not _SUSPECT.search(text.encode()):
            return text
    except UnicodeEncodeError:
        pass  # halves of surrogate pairs go below
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
"""Different characters up to which each is replaced by itself, which is faster."""


@lru_cache(maxsize=4)
def bare(text: str) -> str:
    """`text` as it is compared: without any character that shows nothing, also where it is spelling."""
    if text.isascii() or not _IS_IGNORABLE.search(text.encode("utf-8", "replace")):
        return text
    return _EACH_IGNORABLE.sub("", text)


@lru_cache(maxsize=4)
def latin(text: str) -> str:
    """`text` in plain letters: for wide, bold and circled ones, and for those of other scripts that look like them."""
    strange = {sign for sign in set(text) if not sign.isascii()}
    if len(strange) > _MANY:
        return unicodedata.normalize("NFKC", text).translate(_LATIN)
    for sign in strange:
        text = text.replace(sign, unicodedata.normalize("NFKC", sign).translate(_LATIN))
    return text


_FILLERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and signs that show nothing."""


def is_blank(text: str) -> bool:
    """Return whether a reader sees nothing of `text`: spaces, fillers, marks that stand on no letter."""
    return all(each in _FILLERS or unicodedata.category(each)[0] in "ZCM" for each in text)
