"""Storage of the settings, opened for as long as something uses it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.ports.storage import Storage


@asynccontextmanager
async def open_storage(settings: Settings, environment: Environment, home: Path) -> AsyncIterator[Storage]:
    """Open the shared state; what belongs to this machine is in `home`."""
    from bot.wiring.file_storage import FileStorage

    yield FileStorage(home, settings.escalation.transcript_dir)
