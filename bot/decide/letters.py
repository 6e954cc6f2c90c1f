"""Letters as the rules compare them: one width, one form of a letter that keyboards write in two ways. Pure.

What is kept, shown or written down stays as it was typed.
"""

from __future__ import annotations

import re
import unicodedata

_ONE_FORM = {"\u200c": " ", "\u064a": "\u06cc", "\u0643": "\u06a9", "\u2019": "'", "\u2018": "'"}
"""A half-space parts as a space does; Arabic yeh and kaf stand on some keyboards for the Persian ones."""


_FORMS = {one: "".join(many for many, to in _ONE_FORM.items() if to == one) for one in _ONE_FORM.values()}


_SHORT = 100
"""Letters that a text may have, however few signs it is written with."""


def one_form(text: str) -> str:
    """Return the text in one width and with one form of each letter; case stays."""
    if text.isascii():
        return text
    made = unicodedata.normalize("NFKC", text)[: 2 * len(text) + _SHORT]  # one sign may stand for eighteen letters
    for many, one in _ONE_FORM.items():
        made = made.replace(many, one)  # a tenth of the time that `translate` takes
    return made


def in_any_form(word: str) -> str:
    """Return a pattern for a word in one form, wherever a text writes its letters in another."""
    return "".join(f"[{one}{_FORMS[one]}]" if one in _FORMS else re.escape(one) for one in word)
