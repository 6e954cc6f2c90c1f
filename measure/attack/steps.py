"""What one step on the event loop costs: every callback that the bot runs is timed by the processor time it takes."""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 0.050
"""Seconds that a step may take."""
TAKEN = "taken"
"""The name of an attack's own coroutine that hands something to the bot."""


@dataclass
class Steps:
    """Steps of tasks whose own code lies in the product."""

    count: int = 0
    longest: float = 0.0
    input: str = ""
    """What is being tried now."""
    slow: list[str] = field(default_factory=list)

    def took(self, seconds: float, who: str) -> None:
        """Note one."""
        self.count += 1
        self.longest = max(self.longest, seconds)
        if seconds > LONGEST:
            self.slow.append(f"{seconds * 1000:.0f} ms in {who}: {self.input}")


@contextmanager
def timed() -> Iterator[Steps]:
    """Time all steps in the meantime. Processor time of this thread alone, so that a busy machine changes nothing."""
    steps, run = Steps(), asyncio.Handle._run

    def measured(handle: asyncio.Handle) -> None:
        who, began = _whose(handle), time.thread_time()
        run(handle)
        if who:
            steps.took(time.thread_time() - began, who)

    asyncio.Handle._run = measured  # type: ignore[method-assign]  # for the time of the measurement
    try:
        yield steps
    finally:
        asyncio.Handle._run = run  # type: ignore[method-assign]  # as it was


def _whose(handle: Any) -> str:
    """The task's own coroutine, where it is the bot's; a test's and the workspace's are not."""
    task = getattr(getattr(handle, "_callback", None), "__self__", None)
    if not isinstance(task, asyncio.Task):
        return ""
    code = getattr(task.get_coro(), "cr_code", None)
    if code is None or any(room in code.co_filename for room in ("/sandbox/", "/tests/", "/aiohttp/")):
        return ""
    if "/measure/" in code.co_filename and code.co_name != TAKEN:
        return ""
    return str(code.co_qualname)
