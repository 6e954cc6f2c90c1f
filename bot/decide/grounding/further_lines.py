"""Further lines of a file: *sessions.py line 21, and used in line 64*. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.decide.grounding.citation_lines import lines_before, named_lines
from bot.decide.grounding.written_paths import BARE_NAMES, is_pathlike

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.grounding.citation_lines import Ranges
    from bot.decide.grounding.mention import Mention

_MAX_NAMED_LINES = 40
Placed = tuple[int, "Mention"]
"""Mention with its position in the text."""


def with_further_lines(text: str, mentions: Sequence[Placed], *, original_text: str) -> list[Placed]:
    """Add the words for their lines to mentions, and a mention for each line that is named apart from its file.

    Such a line belongs to the last file named in its paragraph, or to the only one of the text. `original_text` is the
    text with its original digits."""
    placed = sorted(mentions, key=lambda item: item[0])
    files = [item for item in placed if item[1].kind == "file" and _is_file(item[1].paths[0])]
    for start, end, ranges in list(named_lines(text))[:_MAX_NAMED_LINES]:
        owner, words = _owner(text, files, start, end, ranges), original_text[start:end]
        if owner is None:
            continue
        for first, last in ranges:
            at = next((at for at, (_, item) in enumerate(placed) if _is_same(item, owner, first, last)), None)
            if at is None and not _counts_rows(words):
                placed.append((start, replace(owner, text=words, first=first, last=last, words=words)))
            elif at is not None and not placed[at][1].words:
                placed[at] = (placed[at][0], replace(placed[at][1], words=words))
    return placed


def _is_file(path: str) -> bool:
    return path in BARE_NAMES or (is_pathlike(path) and not path.endswith("/"))


def _counts_rows(words: str) -> bool:
    """Return whether the words may be a number of rows, such as `3行` without an ordinal."""
    return words.endswith("行") and "第" not in words


def _is_same(mention: Mention, owner: Mention, first: int, last: int) -> bool:
    return mention.paths == owner.paths and (mention.first, mention.last) == (first, last)


def _owner(text: str, files: Sequence[Placed], start: int, end: int, ranges: Ranges) -> Mention | None:
    following = next(((at, mention) for at, mention in files if at >= end), None)
    if following and lines_before(text, following[0]) == ranges:
        return following[1]
    before = [(at, mention) for at, mention in files if at < start]
    if before and "\n\n" not in text[before[-1][0] : start]:
        return before[-1][1]
    return files[0][1] if len({mention.paths for _, mention in files}) == 1 else None
