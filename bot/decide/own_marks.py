"""Marks of code's own lines: a model's text that imitates them loses them, so that whoever reads knows who speaks."""

from __future__ import annotations

import re
import unicodedata

_FENCE = re.compile(r"^\s*```")
_AROUND = r"(?:[\s>*_~•\-\u2013\u2014✅☑✔️❌]|:(?!\s)[a-z0-9_+-]+:)*"
_CLAIM = re.compile(rf"{_AROUND}(?:done{_AROUND}:|stopped, as you asked\s*[.!:])[*_~]*\s*", re.IGNORECASE)
"""What code begins a text with that says what was done."""
_MARK = re.compile(
    rf"{_AROUND}(?:done(?: until then)?|not done(?: yet)?|nothing (?:was|is) (?:changed|done)|not looked up"
    rf"|wait(?:s|ing) for your press[^:\n]{{0,40}}|begun, and not known to be done){_AROUND}:",
    re.IGNORECASE,
)
"""How a line of code's own begins, whatever stands around it; `Done.` is anybody's word."""


def without_own_marks(text: str) -> str:
    """A model's text in which nothing looks like a line of code's own.

    A claim at its beginning goes: what it says was done is its word alone. Elsewhere, as in a list of what is done and
    what is not, the words stay, and a dash stands for the colon. What is shown as code stays as it is.
    """
    while (claim := _CLAIM.match(_folded(text))) and re.search(r"\w", text[claim.end() :]):
        text = f"{text[claim.end()].upper()}{text[claim.end() + 1 :]}"
    lines, is_code = text.split("\n"), False
    for at, line in enumerate(lines):
        is_code = is_code != bool(_FENCE.match(line))
        if not is_code and (mark := _MARK.match(_folded(line))):
            lines[at] = f"{line[: mark.end() - 1]} \u2013{line[mark.end() :]}"
    return "\n".join(lines)


def _folded(line: str) -> str:
    """The line in plain letters, each in its place: wide ones read the same."""
    plain = (unicodedata.normalize("NFKC", each) for each in line)
    return "".join(letter if len(letter) == 1 else each for letter, each in zip(plain, line, strict=True))
