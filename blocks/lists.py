"""Lists of a draft, nested ones too, as Slack's `rich_text_list` elements.

Slack has no list inside a list: each run of items of one depth and one style is an element with its `indent`, and an
ordered one says by `offset` where its numbers go on.
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
"""The largest `indent` that Slack takes."""
_STEP = 2
"""Columns by which an item stands further in than the one that it belongs to."""


@dataclass
class _Item:
    depth: int
    number: int | None
    """What it is counted as; `None` for a bullet."""
    run: int
    """Items of one run are one element."""
    text: str


def taken(lines: list[str]) -> int:
    """How many of the first lines are one list: its items, and what stands further in below them."""
    if not lines or not _ITEM.match(lines[0]):
        return 0
    count = 1
    while count < len(lines) and (_ITEM.match(lines[count]) or _goes_on(lines[count])):
        count += 1
    return count


def lists(lines: list[str], spans: Callable[[str], list[Block]]) -> Iterator[Block]:
    """The elements of the lines that `taken` counted; `spans` makes the inside of an item."""
    for _, run in groupby(_items(lines), key=lambda item: item.run):
        items = list(run)
        first = items[0]
        made: Block = {
            "type": "rich_text_list",
            "style": "bullet" if first.number is None else "ordered",
            "elements": [{"type": "rich_text_section", "elements": spans(item.text)} for item in items],
        }
        if first.depth:
            made["indent"] = first.depth
        if first.number and first.number > 1:
            made["offset"] = first.number - 1
        yield made


def _goes_on(line: str) -> bool:
    """Return whether a line without a mark belongs to the item above it."""
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
    """How deep an item of this column stands; `columns` are those of the items that it is inside of."""
    while columns and column < columns[-1]:
        columns.pop()
    if not columns or column >= columns[-1] + _STEP:
        columns.append(column)
    return min(len(columns) - 1, _DEEPEST)


def _number(written: str | None, last: int | None) -> int | None:
    """As it is written; a list that writes 1 before each item counts on."""
    if written is None:
        return None
    return last + 1 if last is not None and int(written) <= 1 else int(written)
