"""Comparison of a quote with the cited lines: as they are in the file, or as the tools show them to an agent.

Line numbers of the tools' rows and blanks at the ends of lines do not count, and a quote may have composed letters for
decomposed ones and plain blanks for others. All else is compared word for word.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.decide.grounding.quoted_lines import find_own_text, found_in, is_whole
from bot.errors import ToolError
from bot.tools.shown_lines import cut_lines, plain_lines, redact_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.decide.redaction.redactor import Redactor

FEWEST_CHARS = 6
"""Minimum of characters, blanks aside, in a quote of part of a line: a bracket is found in every other line."""

_ROW = re.compile(r"(?P<number>\d{1,8})(?:  [0-9a-f]{12}  [^\t]*)?(?:\t(?P<line>.*))?")
"""Row of `read_file` or `git_blame`; of a blank line the number alone may be left."""
_NO_BREAK_SPACES = str.maketrans("\u00a0\u202f\u2007", "   ")


@dataclass(frozen=True)
class CitedLines:
    """Lines `first` to `last` of a text."""

    text: tuple[str, ...]
    """All lines of the text: secrets may span lines."""
    first: int
    last: int
    redactor: Redactor

    def match(self, quote: str | None) -> str:
        """Return the cited text that a quote matches. Raises `ToolError` unless it matches word for word.

        The text is the file's own where the quote matches that, else the one that an agent is shown. Blocking.
        """
        quoted = _split(quote, self.last - self.first + 1)
        problem = "the quote does not match these lines word for word"
        variants = [lines for lines in (quoted, *_strip_numbers(quoted, self.first)) if lines[0] and lines[-1]]
        for cited in self._forms():
            for whole in map("\n".join, variants):
                text = find_own_text(cited, whole) or find_own_text(cited, unicodedata.normalize("NFC", whole))
                if text is None:
                    continue
                if len("".join(whole.split())) >= FEWEST_CHARS or is_whole(cited, whole):
                    return text
                problem = f"a quote of part of a line needs at least {FEWEST_CHARS} characters"
        raise ToolError(problem)

    def _forms(self) -> Iterator[list[str]]:
        """Yield the cited lines in each form that a quote may have, rare forms last."""
        yield _strip_ends(self.text[self.first - 1 : self.last])
        redacted = redact_lines(self.text, self.redactor)[self.first - 1 : self.last]
        visible = plain_lines(redacted)
        for form in (redacted, cut_lines(visible), visible):
            yield _strip_ends(form)
            yield [_fold(line) for line in form]


def find_numbers(quote: str) -> tuple[int, int] | None:
    """Return the first and last line by the tool's numbers in a quote; `None` where not all lines carry theirs."""
    quoted = quote.strip("\n").split("\n")
    row = _ROW.fullmatch(quoted[0])
    if row is None or row["line"] is None or not _strip_numbers(quoted, first := int(row["number"])):
        return None
    return first, first + len(quoted) - 1


def stands_in(shown: str, quote: str) -> bool:
    """Return whether a text that an agent was shown contains a quote."""
    lines, quoted = _strip_ends(shown.split("\n")), "\n".join(_strip_ends(quote.split("\n")))
    folded = "\n".join(map(_fold, lines))
    return found_in("\n".join(lines), quoted) or found_in(folded, unicodedata.normalize("NFC", quoted))


def is_same_text(lines: Sequence[str], quote: str | None) -> bool:
    """Return whether a quote is all of these lines, as an agent is shown them."""
    return quote is not None and _as_shown("\n".join(lines)) == _as_shown(quote)


def _as_shown(text: str) -> list[str]:
    return [_fold(line) for line in cut_lines(plain_lines(text.split("\n")))]


def _split(quote: str | None, count: int) -> list[str]:
    """Return the lines of a quote of `count` lines. Raises `ToolError` for another number, and without words."""
    if quote is None or not quote.strip():
        raise ToolError("there is no quote to compare")
    quoted = _strip_ends(quote.replace("\r\n", "\n").removesuffix("\n").split("\n"))
    if not (quoted[0] and quoted[-1]):
        raise ToolError("the first or the last quoted line is blank")
    if len(quoted) != count:
        raise ToolError(f"the quote has {len(quoted)} line{'s' if len(quoted) > 1 else ''}, the reference {count}")
    return quoted


def _strip_ends(lines: Sequence[str]) -> list[str]:
    return [line.rstrip() for line in lines]


def _strip_numbers(quoted: Sequence[str], first: int) -> list[list[str]]:
    """Return the quote without the numbers of a tool's rows, if all of its lines carry their own number."""
    rows = [_ROW.fullmatch(line) for line in quoted]
    if all(row and int(row["number"]) == number for number, row in enumerate(rows, first)):
        return [[(row["line"] or "") for row in rows if row]]
    return []


def _fold(line: str) -> str:
    """Return a line with composed letters and plain blanks, since models write these for others."""
    return unicodedata.normalize("NFC", line).translate(_NO_BREAK_SPACES).rstrip()
