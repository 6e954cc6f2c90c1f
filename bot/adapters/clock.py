"""System clock."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime


class SystemClock:
    """The port `Clock` in real time."""

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(max(0.0, seconds))
