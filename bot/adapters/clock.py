"""System clock, and random ids."""

from __future__ import annotations

import asyncio
import secrets
from datetime import UTC, datetime


class SystemClock:
    """The port `Clock` in real time, with random ids."""

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(max(0.0, seconds))

    def new_id(self) -> str:
        """Return 16 random hexadecimal digits."""
        return secrets.token_hex(8)
