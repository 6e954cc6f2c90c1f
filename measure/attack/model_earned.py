"""The same hostile model with an open gate of automatic replies: of what it drafts nothing goes out without a press."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from measure.attack.model import run_talks

if TYPE_CHECKING:
    from measure.attack.tally import Tally

COUNT = 2_000


def run(count: int) -> Tally:
    """Let people speak until so many calls got through to a tool or the handler."""
    return asyncio.run(run_talks(count, is_earned=True))
