"""Storage of the settings, opened for as long as something uses it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.config.environment import Environment
    from bot.config.settings import Settings
    from bot.ports.storage import Storage

NO_EXTRA = (
    "PostgreSQL's driver is not installed; in a clone: .venv/bin/pip install -c constraints.txt '.[postgresql]', for a "
    "wheel: pip install 'psycopg[binary]>=3.2' 'psycopg-pool>=3.2' 'procrastinate>=3.5' (docs/replicas.md)"
)


def demand_driver() -> None:
    """Raise `Misconfigured` if the extra `postgresql` is not installed."""
    try:
        import procrastinate  # noqa: F401  # only asked for
        import psycopg  # noqa: F401  # the same
        import psycopg_pool  # noqa: F401  # the same
    except ImportError:
        raise Misconfigured(NO_EXTRA) from None


@asynccontextmanager
async def open_storage(settings: Settings, environment: Environment, home: Path) -> AsyncIterator[Storage]:
    """Open the shared state; what belongs to this machine is in `home`.

    Raises `Misconfigured` with the next step if the database of the settings cannot be used.
    """
    runs = settings.escalation.transcript_dir
    if settings.storage == "files":
        from bot.wiring.file_storage import FileStorage

        yield FileStorage(home, runs)
        return
    demand_driver()
    from bot.wiring.postgresql_storage import open_postgresql

    async with open_postgresql(environment.database_address, home, runs) as storage:
        yield storage
