"""What one step on the event loop costs: every callback that the bot runs is timed by the processor time it takes."""

from __future__ import annotations

import asyncio
import gc
import time
from collections import defaultdict
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from bot.adapters import pace
from measure.attack.tally import Tally

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

LONGEST = 0.050
"""Seconds that a step may take."""
TAKEN = "taken"
"""The name of an attack's own coroutine that hands something to the bot."""
TRIED: ContextVar[tuple[str, str]] = ContextVar("tried", default=("beside", ""))
UNKNOWN = ("beside", "")
"""Which input is being tried, and with what; the tasks that come of it inherit it."""
AT_WILL = 1_000_000
"""Calls a minute."""
_OTHERS = ("/sandbox/", "/tests/", "/aiohttp/")


@dataclass
class Row:
    """The steps that came of one input."""

    count: int = 0
    longest: float = 0.0
    slow: list[str] = field(default_factory=list)


@dataclass
class Steps:
    """Steps of tasks whose own code lies in the product, or in the libraries that it calls."""

    rows: defaultdict[str, Row] = field(default_factory=lambda: defaultdict(Row))
    now: tuple[str, str] = UNKNOWN
    """What is tried where nothing of it comes with the task, since it came in over the workspace's own socket."""
    collecting: float = 0.0
    collected: float = 0.0
    """Seconds that the collector has taken."""

    @property
    def count(self) -> int:
        """All of them."""
        return sum(row.count for row in self.rows.values())

    def took(self, seconds: float, who: str, tried: tuple[str, str]) -> None:
        """Note one."""
        row = self.rows[tried[0]]
        row.count += 1
        row.longest = max(row.longest, seconds)
        if seconds > LONGEST:
            row.slow.append(f"{seconds * 1000:.0f} ms in {who}: {tried[1][:70]!a}")

    def tally(self, name: str, tries: int, *also: str) -> Tally:
        """The row of the table for one input; `also` are other effects."""
        row = self.rows[name]
        also = also if row.count else (*also, "no step was seen, so nothing was tried")
        measured = f"longest of {row.count:,} steps {row.longest * 1000:.0f} ms"
        return Tally(f"hostile strings: {name}", tries, (*row.slow, *also), measured)


@contextmanager
def timed() -> Iterator[Steps]:
    """Time all steps in the meantime: processor time of this thread alone, so that a busy machine changes little.

    What the collector of garbage takes is left out: it walks all that this process holds, the workspace and the
    attack's own strings included.
    """
    steps, run = Steps(), asyncio.Handle._run

    def collected(phase: str, _: object) -> None:
        now = time.thread_time()
        if phase == "start":
            steps.collecting = now
        else:
            steps.collected += now - steps.collecting

    def measured(handle: asyncio.Handle) -> None:
        who, began, before = _coroutine_name(handle), time.thread_time(), steps.collected
        run(handle)
        if who:
            took = time.thread_time() - began - (steps.collected - before)
            steps.took(took, who, handle._context.get(TRIED) or steps.now)  # type: ignore[attr-defined]  # asyncio's own

    gc.callbacks.append(collected)
    asyncio.Handle._run = measured  # type: ignore[method-assign, assignment]  # for the time of the measurement
    try:
        yield steps
    finally:
        gc.callbacks.remove(collected)
        asyncio.Handle._run = run  # type: ignore[method-assign]  # as it was


@asynccontextmanager
async def at_will() -> AsyncIterator[None]:
    """Have no call to Slack wait for its turn: at its own pace a thousand strings take hours, and that is no step."""
    rates = dict.fromkeys(pace.PER_MINUTE, AT_WILL)
    with patch.dict(pace.PER_MINUTE, rates), patch.object(pace, "POSTS_AT_ONCE", AT_WILL):
        yield


def _coroutine_name(handle: Any) -> str:
    """The task's own coroutine, where it is the bot's; a test's and the workspace's are not."""
    task = getattr(getattr(handle, "_callback", None), "__self__", None)
    if not isinstance(task, asyncio.Task):
        return ""
    code = getattr(task.get_coro(), "cr_code", None)
    if code is None or any(room in code.co_filename for room in _OTHERS):
        return ""
    if "/measure/" in code.co_filename and code.co_name != TAKEN:
        return ""
    return str(code.co_qualname)
