"""Retry of calls that failed without an effect (`RetryLater`), with growing delays."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, TypeVar

from bot.errors import RetryLater

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.ports.outbound import Clock

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)

LONGEST = 60.0
"""Maximum seconds between two tries, unless the other side asks for more."""


async def call_with_retries(
    clock: Clock,
    call: Callable[[], Awaitable[Answer]],
    *,
    after: float = 0.0,
    longest: float = LONGEST,
    tries: int | None = None,
) -> Answer:
    """Repeat a call until it does not raise `RetryLater`, waiting as long as that asks and at least twice as long each
    time.

    `after` is half of the first wait at least, in seconds. With `tries` the last `RetryLater` is raised; other errors
    are raised immediately.
    """
    wait, attempts = after, 1
    while True:
        try:
            return await call()
        except RetryLater as problem:
            if attempts == tries:
                raise
            wait, attempts = max(problem.after, min(longest, wait * 2)), attempts + 1
            log.warning("%s; again in %.0f s", problem, wait)
            await clock.sleep(wait)


async def sleep_unless(clock: Clock, seconds: float, *, unless: asyncio.Event) -> None:
    """Wait for some seconds, or until the event is set."""
    tasks = [asyncio.ensure_future(clock.sleep(seconds)), asyncio.ensure_future(unless.wait())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
