"""Each contract runs on the files of a home and on PostgreSQL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.adapters.contracts.backends import Backend, DatabaseBackend, FileBackend


@pytest.fixture(params=["files", "postgresql"])
def address(request: pytest.FixtureRequest) -> str | None:
    """The address of an empty database; `None` for files."""
    return None if request.param == "files" else str(request.getfixturevalue("database_address"))


@pytest.fixture
async def backend(address: str | None, tmp_path: Path) -> AsyncIterator[Backend]:
    """An empty storage."""
    if address is None:
        yield FileBackend(tmp_path / "home")
        return
    from bot.adapters.clock import SystemClock
    from bot.adapters.postgresql.database import Database
    from bot.adapters.postgresql.storage import DatabaseStorage

    database = Database(address, clock=SystemClock())
    await database.open()
    yield DatabaseBackend(address, lambda: DatabaseStorage(database))
    await database.close()
