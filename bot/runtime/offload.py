"""Offloading of text work from the event loop: short texts are handled immediately, long ones in a thread.

Two threads serve it, separate from those for searches and file reads, so that a card never waits for a search.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Result = TypeVar("Result")

SHORT = 2_000
"""Characters up to which a text is handled immediately: the slowest work takes a few milliseconds on so many."""

_THREADS = ThreadPoolExecutor(max_workers=2, thread_name_prefix="beside")


async def run_offloaded(work: Callable[..., Result], *arguments: Any) -> Result:
    """Run `work` on these arguments; in a thread if their text, in JSON values and documents too, is long."""
    if _room_left(arguments, SHORT) >= 0:
        return work(*arguments)
    run = partial(copy_context().run, work, *arguments)
    return await asyncio.get_running_loop().run_in_executor(_THREADS, run)


def _room_left(value: Any, room: int) -> int:
    """Return the room that a value leaves, below zero if it does not fit."""
    inner: Iterator[Any]
    match value:
        case str():
            return room - len(value)
        case list() | tuple():
            inner = iter(value)
        case dict():
            inner = chain(value, value.values())
        case _:
            inner = (getattr(value, name) for name in getattr(type(value), "__pydantic_fields__", ()))
    for each in inner:
        if (room := _room_left(each, room)) < 0:
            break
    return room
