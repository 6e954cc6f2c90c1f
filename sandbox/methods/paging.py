"""Paging of lists without ts: channels, members, people."""

from collections.abc import Sequence
from typing import TypeVar

from sandbox.arguments import Arguments
from sandbox.conversation import read_cursor, write_cursor

Item = TypeVar("Item")


def paginate(items: Sequence[Item], arguments: Arguments, *, default: int) -> tuple[list[Item], str]:
    """Return the requested page, and the cursor of the next ("" on the last page)."""
    cursor = arguments.text("cursor")
    start = int(float(read_cursor(cursor))) if cursor else 0
    end = start + arguments.count("limit", default, maximum=1000)
    return list(items[start:end]), write_cursor(str(end)) if end < len(items) else ""
