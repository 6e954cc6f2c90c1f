"""Lines that a citation names: in the forms that stand at a path's end, and in words beside it."""

from __future__ import annotations

import re

from bot.decide.tokens import LINE_WORDS

_DASH = r"(?:-|\u2013|\u2014|~|\u301c|\.\.)"
LINES = (
    rf"(?::L?\d{{1,9}}(?::\d+(?![\d-]))?(?:{_DASH}L?\d{{1,9}})?(?:,L?\d{{1,9}}(?:{_DASH}L?\d{{1,9}})?)*"
    rf"|\#L\d{{1,9}}(?:C\d+)?(?:{_DASH}L?\d{{1,9}}(?:C\d+)?)?"
    rf"|\(\d{{1,9}}(?:{_DASH}\d{{1,9}}|,\d+)?\))"
)
"""What may follow a path at once: `:12`, `:12-20`, `:12:5`, `:3,7-9`, `#L12-L20`, `(12)`, `(12,5)`."""

_SUFFIX = re.compile(LINES)
_WORDS = "|".join(sorted(LINE_WORDS.split(), key=len, reverse=True))
_NUMBERS = rf"\d{{1,9}}(?:\s*(?:{_DASH}|to|bis|until|through|bis|sampai|até|hasta|à|a)\s*L?\d{{1,9}})?"
_AND = r"(?:\s*(?:,|and|und|y|et|e|&|or)\s*)"
_LIST = rf"{_NUMBERS}(?:{_AND}{_NUMBERS})*"
_IN = r"(?:at|on|in|auf|bei|in der|en|na|di|pada|sur|alla|on the|at the|see)"
_AFTER = re.compile(
    rf"\s*[,(\[]?\s*(?:{_IN}\s+)?(?:(?:{_WORDS}|ln\.?)\s*|L)(?P<lines>{_LIST})|\s*の?[(]?\s*第?(?P<cjk>{_NUMBERS})\s*行",
    re.IGNORECASE,
)
_OF = r"(?:of|in|from|von|aus|de|del|da|do|di|dari|du|в|из)"
_BEFORE = re.compile(
    rf"(?:{_WORDS})\s+(?P<lines>{_LIST})\s+{_OF}\s+(?:the\s+file\s+|file\s+)?[`\"'“„«\[]*$", re.IGNORECASE
)
_SEEN = 60
"""Characters beside a path that are looked at."""
_RANGE = re.compile(
    rf"(?P<first>\d{{1,9}})(?:\s*(?:{_DASH}|to|bis|until|through|sampai|até|hasta|à|a)\s*L?(?P<last>\d{{1,9}}))?"
)

Ranges = list[tuple[int, int]]


def read_lines(suffix: str) -> Ranges:
    """The ranges of a suffix in the form of `LINES`, first and last line of each; the column is left out."""
    plain = re.sub(r"C\d+|(?<=\d):\d+|,\d+\)$", "", suffix)
    return _ranges(plain)


def lines_at(text: str, at: int) -> Ranges:
    """The lines of a suffix that begins at `at`, behind the marks around a path: "`a.py`:12"."""
    match = _SUFFIX.match(text, at)
    return read_lines(match[0]) if match else []


def lines_after(text: str, at: int) -> Ranges:
    """The lines named in words right after a path that ends at `at`: "`a.py`, lines 3 to 9"."""
    match = _AFTER.match(text[at : at + _SEEN])
    return _ranges(match["lines"] or match["cjk"]) if match else []


def lines_before(text: str, at: int) -> Ranges:
    """The lines named in words right before a path that begins at `at`: "line 3 of `a.py`"."""
    match = _BEFORE.search(text[max(0, at - _SEEN) : at])
    return _ranges(match["lines"]) if match else []


def _ranges(text: str) -> Ranges:
    return [(int(one["first"]), int(one["last"] or one["first"])) for one in _RANGE.finditer(text)]
