"""Further lines of a file: *sessions.py line 21, and used in line 64*. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.decide.grounding.citation_lines import lines_before, named_lines
from bot.decide.grounding.written_paths import BARE_NAMES, is_pathlike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.grounding.citation_lines import Ranges
    from bot.decide.grounding.references import Mention

_MOST = 40
Placed = tuple[int, "Mention"]
"""Mention with its position in the text."""


def with_further_lines(text: str, found: Sequence[Placed], *, said: str) -> list[Placed]:
    """Add the words for their lines to mentions, and a mention for each line that is named apart from its file.

    Such a line belongs to the last file named in its paragraph, or to the only one of the text. `said` is the text with
    its original digits.
    """
    known = sorted(found, key=lambda one: one[0])
    files = [one for one in known if one[1].kind == "file" and _is_file(one[1].paths[0])]
    for start, end, ranges in list(named_lines(text))[:_MOST]:
        owner, words = _owner(text, files, start, end, ranges), said[start:end]
        if owner is None:
            continue
        for first, last in ranges:
            at = next((at for at, (_, one) in enumerate(known) if _is(one, owner, first, last)), None)
            if at is None and not _counts_rows(words):
                known.append((start, replace(owner, written=words, first=first, last=last, words=words)))
            elif at is not None and not known[at][1].words:
                known[at] = (known[at][0], replace(known[at][1], words=words))
    return known


def _is_file(path: str) -> bool:
    return path in BARE_NAMES or (is_pathlike(path) and not path.endswith("/"))


def _counts_rows(words: str) -> bool:
    """Return whether the words may be a number of rows, such as `3行` without an ordinal."""
    return words.endswith("行") and "第" not in words


def _is(one: Mention, owner: Mention, first: int, last: int) -> bool:
    return one.paths == owner.paths and (one.first, one.last) == (first, last)


def _owner(text: str, files: Sequence[Placed], start: int, end: int, ranges: Ranges) -> Mention | None:
    following = next(((at, one) for at, one in files if at >= end), None)
    if following and lines_before(text, following[0]) == ranges:
        return following[1]
    before = [(at, one) for at, one in files if at < start]
    if before and "\n\n" not in text[before[-1][0] : start]:
        return before[-1][1]
    return files[0][1] if len({one.paths for _, one in files}) == 1 else None
