"""Prefixes of lines written by code: removed from a model's text, so that the reader can trust them."""

from __future__ import annotations

import re
import unicodedata

_FENCE = re.compile(r"^\s*```")
_AROUND = r"(?:[\s>*_~•\-\u2013\u2014✅☑✔️❌]|:(?!\s)[a-z0-9_+-]+:)*"
_CLAIM = re.compile(rf"{_AROUND}(?:done{_AROUND}:|stopped, as you asked\s*[.!:])[*_~]*\s*", re.IGNORECASE)
"""Claim at the beginning of a text by code."""
_MARK = re.compile(
    rf"{_AROUND}(?:done(?: until then)?|not done(?: yet)?|nothing (?:was|is) (?:changed|done)|not looked up"
    rf"|wait(?:s|ing) for your press[^:\n]{{0,40}}|begun, and not known to be done){_AROUND}:",
    re.IGNORECASE,
)
"""Beginning of a line by code, with any markup around it; a model may write `Done.`."""


def without_own_marks(text: str) -> str:
    """Return a model's text in which no line looks like one by code.

    A claim at the beginning is removed: only the model says that something was done. Elsewhere, as in a list of things
    done and not done, the words stay, with a dash for the colon. Code blocks stay unchanged.
    """
    while (claim := _CLAIM.match(_replace_wide_letters(text))) and re.search(r"\w", text[claim.end() :]):
        text = f"{text[claim.end()].upper()}{text[claim.end() + 1 :]}"
    lines, is_code = text.split("\n"), False
    for at, line in enumerate(lines):
        is_code = is_code != bool(_FENCE.match(line))
        if not is_code and (mark := _MARK.match(_replace_wide_letters(line))):
            lines[at] = f"{line[: mark.end() - 1]} \u2013{line[mark.end() :]}"
    return "\n".join(lines)


def _replace_wide_letters(line: str) -> str:
    """Return the line with each wide letter replaced by a plain one."""
    plain = (unicodedata.normalize("NFKC", each) for each in line)
    return "".join(letter if len(letter) == 1 else each for letter, each in zip(plain, line, strict=True))
