"""The part of a text that a reader sees: what shows nothing, or turns the direction of reading, is taken out.

Called wherever foreign text is shown to a person (`blocks`) or to a model (`prompts/envelope`), and before secrets are
looked for (`decide/redact`), so that an invisible character can split none.
"""

from __future__ import annotations

import re
import unicodedata

_JOINED = "\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff\u0750-\u077f\u08a0-\u08c9\u0900-\u0dff"
"""Letters of scripts that write some words with the zero-width non-joiner in them: Arabic, Persian, those of India."""

_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters, but for tab and line break
    "\xad\u034f\u061c\u180b-\u180f\u200b\u200d-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible, bidi
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"  # tags and the variation selectors that can carry a text
    f"|(?<![{_JOINED}])\u200c|\u200c(?![{_JOINED}])"  # the non-joiner, but for where it is spelling
)


def clean(text: str) -> str:
    """`text` without control, bidi, tag and invisible characters, and without halves of surrogate pairs.

    A non-joiner between letters of a script that spells with it stays.
    """
    return _UNSAFE.sub("", text.encode("utf-8", "replace").decode().replace("\r\n", "\n"))


_FILLERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and signs that show nothing."""


def is_blank(text: str) -> bool:
    """Whether a reader sees nothing of `text`: spaces, fillers, marks that stand on no letter."""
    return all(each in _FILLERS or unicodedata.category(each)[0] in "ZCM" for each in text)
