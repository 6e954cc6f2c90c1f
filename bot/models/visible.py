"""The part of a text that a reader sees: what shows nothing, or turns the direction of reading, is taken out.

Called wherever foreign text is shown to a person (`blocks`) or to a model (`prompts/envelope`), and before secrets are
looked for (`decide/redact`), so that an invisible character can split none.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters, but for tab and line break
    "\xad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # invisible, bidi
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]"  # tags and the variation selectors that can carry a text
)


def clean(text: str) -> str:
    """`text` without control, bidi, tag and invisible characters, and without halves of surrogate pairs."""
    return _UNSAFE.sub("", text.encode("utf-8", "replace").decode().replace("\r\n", "\n"))
