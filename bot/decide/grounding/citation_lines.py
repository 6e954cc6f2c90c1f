"""Line numbers in a citation: as a suffix of a path, and in words next to it."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from bot.decide.grounding.tokens import LINE_WORDS, SCAN

if TYPE_CHECKING:
    from collections.abc import Iterator

_DASH = r"(?:-|\u2013|\u2014|~|\u301c|\.\.)"
LINES = (
    rf"(?::L?\d{{1,9}}(?::\d+(?![\d-]))?(?:{_DASH}L?\d{{1,9}})?(?:,L?\d{{1,9}}(?:{_DASH}L?\d{{1,9}})?)*"
    rf"|\#L\d{{1,9}}(?:C\d+)?(?:{_DASH}L?\d{{1,9}}(?:C\d+)?)?"
    rf"|\(\d{{1,9}}(?:{_DASH}\d{{1,9}}|,\d+)?\))"
)
"""Line suffixes of a path: `:12`, `:12-20`, `:12:5`, `:3,7-9`, `#L12-L20`, `(12)`, `(12,5)`."""

_SUFFIX = re.compile(LINES)


def _either_pattern(words: str) -> str:
    return f"(?:{'|'.join(sorted(words.split(), key=len, reverse=True))})"


_WORDS = _either_pattern(LINE_WORDS)
_LEAD_WORDS = (
    "at on in from see the of within across around auf bei in von ab den der die dem en na no nas nos da das de do des "
    "del di pada dari sur alla alle à au aux dans depuis la las le les los a as os el desde в на \u0441 из от در از"
)
"""Words before the word for lines, up to three of them: `in den Zeilen`, `à la ligne`, `از خط`."""
_LEAD = _either_pattern(_LEAD_WORDS)
_BETWEEN_WORDS = "between zwischen entre antara tra fra между بین"
_BETWEEN = _either_pattern(_BETWEEN_WORDS)
_GAP, _BLANK = r"\s{0,3}", r"\s{1,3}"
_TO = rf"(?:{_DASH}|{_either_pattern('to thru through until till bis sampai até hasta à a ao al до по تا')})"
_AND_WORD = _either_pattern("and und y et e or oder ou o dan и و")
_AND = rf"(?:[,،、]\s{{0,3}}{_AND_WORD}(?=\s)|[,،、]|&|{_AND_WORD})"
_FILE_WORDS = "file datei fichier archivo fichero arquivo ficheiro berkas файла файле فایل"
_FILE = _either_pattern(_FILE_WORDS)
NO_PATHS = frozenset(f"{LINE_WORDS} {_LEAD_WORDS} {_BETWEEN_WORDS} {_FILE_WORDS}".split())
"""Words next to line numbers that are not file names, also at the start of a sentence."""
_NEXT = rf"(?:{_LEAD}{_BLANK})?(?:{_WORDS}{_GAP})?L?"
"""Words that may be repeated before the second number: `line 3 to line 9`."""
_NUMBERS = rf"\d{{1,9}}(?:{_GAP}{_TO}{_GAP}{_NEXT}\d{{1,9}})?"
_LIST = rf"{_NUMBERS}(?:{_GAP}{_AND}{_GAP}{_NUMBERS}){{0,20}}"
_BETWEEN_TWO = (
    rf"{_BETWEEN}{_BLANK}(?:{_LEAD}{_BLANK})?{_WORDS}{_GAP}"
    rf"(?P<low>\d{{1,9}}){_GAP}{_AND}{_GAP}{_NEXT}(?P<high>\d{{1,9}})"
)
_CJK_TO = rf"(?:{_DASH}|から|到|至)"
_CJK_ONE = rf"\d{{1,9}}(?:{_GAP}行?目?{_GAP}{_CJK_TO}{_GAP}第?{_GAP}\d{{1,9}})?"
_CJK = (
    rf"第?{_GAP}(?:(?P<from>\d{{1,9}}){_GAP}行?目?{_GAP}[と和]{_GAP}第?{_GAP}(?P<upto>\d{{1,9}}){_GAP}行目?{_GAP}(?:の間|之间|之間)"
    rf"|(?P<cjk>{_CJK_ONE}(?:{_GAP}行?目?{_GAP}[、,和と]{_GAP}第?{_GAP}{_CJK_ONE}){{0,20}}){_GAP}行目?)"
)
_CLOSING = r"[」』】》)\]\"'”»]?"
"""Closing mark around the path."""
_RANGE_ALONE = rf"(?!(?:19|20)\d\d\D)\d{{1,9}}{_DASH}\d{{1,9}}"
"""Range alone in brackets that is not a range of years."""
_IN_BRACKETS = re.compile(rf"(\.\w{{1,12}}[`\"]?)\s?\(({_RANGE_ALONE})\)")
_AFTER = re.compile(
    rf"\s?\((?P<held>{_RANGE_ALONE})\)"
    rf"|{_GAP}{_CLOSING}[,،、:(\[]?{_GAP}(?:{_LEAD}{_BLANK}){{0,3}}"
    rf"(?:{_BETWEEN_TWO}|(?:(?:{_WORDS}|ln\.?|[lz]\.){_GAP}(?:{_LEAD}{_BLANK})?|L)(?P<lines>{_LIST}))"
    rf"|{_GAP}{_CLOSING}[の、,:]?{_GAP}[(]?{_GAP}{_CJK}",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"(?:{_BETWEEN_TWO}|{_WORDS}{_BLANK}(?:{_LEAD}{_BLANK})?(?P<lines>{_LIST})){_BLANK}(?:(?:{_LEAD}|{_FILE}){_BLANK}){{1,3}}[`\"'“„«\[]*$",
    re.IGNORECASE,
)
_ANYWHERE = re.compile(
    rf"(?<!\w)(?:{_BETWEEN_TWO}|(?:{_WORDS}|[lz]\.){_BLANK}(?:{_LEAD}{_BLANK})?(?P<lines>{_LIST}))"
    rf"|(?<!\d)[の、]?{_CJK}",
    re.IGNORECASE,
)
_MAX_DISTANCE = 60
"""Number of characters read next to a path."""
_RANGE = re.compile(
    rf"(?P<first>\d{{1,9}})(?:{_GAP}行?目?{_GAP}(?:{_TO}|{_CJK_TO}){_GAP}第?{_GAP}{_NEXT}(?P<last>\d{{1,9}}))?",
    re.IGNORECASE,
)

Ranges = list[tuple[int, int]]


def read_lines(suffix: str) -> Ranges:
    """Return the ranges of a suffix in the form of `LINES`, first and last line of each; columns are dropped."""
    plain = re.sub(r"C\d+|(?<=\d):\d+|,\d+\)$", "", suffix)
    return _ranges(plain)


def lines_at(text: str, at: int) -> Ranges:
    """Return the lines of a suffix at `at`, after the marks around a path: "`a.py`:12"."""
    match = _SUFFIX.match(text, at)
    return read_lines(match[0]) if match else []


def lines_after(text: str, at: int) -> Ranges:
    """Return the lines in words directly after a path that ends at `at`: "`a.py`, lines 3 to 9"."""
    match = _AFTER.match(text[at : at + _MAX_DISTANCE])
    return _read(match) if match else []


def lines_before(text: str, at: int) -> Ranges:
    """Return the lines in words directly before a path that begins at `at`: "line 3 of `a.py`"."""
    match = _BEFORE.search(text[max(0, at - _MAX_DISTANCE) : at])
    return _read(match) if match else []


def named_lines(text: str) -> Iterator[tuple[int, int, Ranges]]:
    """Yield lines in words anywhere in a text: start and end of the words, and the ranges."""
    for match in _ANYWHERE.finditer(text):
        blank = len(match[0]) - len(match[0].lstrip(" の、"))
        yield match.start() + blank, match.end(), _read(match)


def listed_lines(text: str, *, at_path: bool) -> Iterator[tuple[int, int, str]]:
    """Yield each range of a list: its first and last line, and its spelling.

    `text` is `lines 3, 7 and 9`, or with `at_path` a path with a list as its suffix, which belongs to the first
    range.
    """
    flat = ascii_digits(text)
    listed = re.search(rf"{LINES}$", flat) if at_path else None
    if at_path and listed is None:
        return
    end = 0 if listed else None
    for match in _RANGE.finditer(flat, listed.start() if listed else 0):
        start = match.start() if end is None or end else 0
        end = match.end()
        yield int(match["first"]), int(match["last"] or match["first"]), text[start:end]


def ascii_digits(text: str) -> str:
    """Convert the digits of all scripts to ASCII, character by character, so that positions stay."""
    return "".join(str(unicodedata.decimal(char)) if char > "\x7f" and char.isdecimal() else char for char in text)


def in_english(text: str) -> str:
    """Rewrite line numbers in words as `lines 3-9`, which `tokens.SCAN` reads."""

    def translate(match: re.Match[str]) -> str:
        token = SCAN.fullmatch(match[0])
        if token and token["lines"]:
            return match[0]
        ranges = ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in _read(match))
        return f" lines {ranges}"

    return _ANYWHERE.sub(translate, text)


def out_of_brackets(text: str) -> str:
    """Rewrite ranges in brackets after a path as `lines 3-9`."""
    return _IN_BRACKETS.sub(r"\1 lines \2", text)


def without_lines(text: str) -> str:
    """Remove line numbers in words."""
    return _ANYWHERE.sub(" ", text)


def _read(match: re.Match[str]) -> Ranges:
    named = match.groupdict()
    for low, high in (("low", "high"), ("from", "upto")):
        if named.get(low):
            return [(int(named[low]), int(named[high]))]
    return _ranges(named.get("held") or named["lines"] or named.get("cjk") or "")


def _ranges(text: str) -> Ranges:
    return [(int(match["first"]), int(match["last"] or match["first"])) for match in _RANGE.finditer(text)]
