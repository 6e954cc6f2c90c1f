"""Lists of a draft, including nested ones, as Slack's `rich_text_list` elements.

Slack has no nested lists: each run of items with one depth and style is an element with its `indent`, and an ordered
one continues its numbers by `offset`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from blocks.text import Block

_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+•]|(?P<number>\d{1,3})[.)])[ \t]++(?P<text>.*)$")
_DEEPEST = 8
"""The largest `indent` that Slack accepts."""
_STEP = 2
"""Columns of indentation from one level to the next."""


@dataclass
class _Item:
    depth: int
    number: int | None
    """The item's number; `None` for a bullet."""
    run: int
    """Items with the same run form one element."""
    text: str


def count_list_lines(lines: list[str]) -> int:
    """Count the leading lines that form one list: its items, and the indented lines below them."""
    if not lines or not _ITEM.match(lines[0]):
        return 0
    count = 1
    while count < len(lines) and (_ITEM.match(lines[count]) or _goes_on(lines[count])):
        count += 1
    return count


def lists(lines: list[str], spans: Callable[[str], list[Block]]) -> Iterator[Block]:
    """Yield the elements of the lines of a list; `spans` renders the inside of an item."""
    for _, run in groupby(_items(lines), key=lambda item: item.run):
        items = list(run)
        first = items[0]
        element: Block = {
            "type": "rich_text_list",
            "style": "bullet" if first.number is None else "ordered",
            "elements": [{"type": "rich_text_section", "elements": spans(item.text)} for item in items],
        }
        if first.depth:
            element["indent"] = first.depth
        if first.number and first.number > 1:
            element["offset"] = first.number - 1
        yield element


def _goes_on(line: str) -> bool:
    """Return whether a line without a bullet belongs to the item above it."""
    return bool(line.strip()) and line.startswith((" " * _STEP, "\t")) and not line.lstrip().startswith(("```", ">"))


def _items(lines: list[str]) -> list[_Item]:
    columns: list[int] = []
    counts: dict[int, int] = {}
    items: list[_Item] = []
    for line in lines:
        match = _ITEM.match(line)
        if match is None:
            items[-1].text += f"\n{line.strip()}"
            continue
        depth = _depth(columns, len(match["indent"].expandtabs(4)))
        counts = {level: count for level, count in counts.items() if level <= depth}
        number = _number(match["number"], counts.get(depth))
        before = items[-1] if items else None
        joins = before and before.depth == depth and number == (None if before.number is None else before.number + 1)
        items.append(_Item(depth, number, before.run + (not joins) if before else 0, match["text"]))
        if number is None:
            counts.pop(depth, None)
        else:
            counts[depth] = number
    return items


def _depth(columns: list[int], column: int) -> int:
    """Return the depth of an item at this column; `columns` are those of the enclosing items."""
    while columns and column < columns[-1]:
        columns.pop()
    if not columns or column >= columns[-1] + _STEP:
        columns.append(column)
    return min(len(columns) - 1, _DEEPEST)


def _number(number_text: str | None, last: int | None) -> int | None:
    """Return the item's number; a list that numbers every item 1 is counted."""
    if number_text is None:
        return None
    return last + 1 if last is not None and int(number_text) <= 1 else int(number_text)
