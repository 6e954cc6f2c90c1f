"""PostgreSQL, started once for all tests of a session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.postgresql import MISSING, find_binaries, run_postgresql


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The address of a server with the user `shop`, with the password `PASSWORD`."""
    binaries = find_binaries()
    if binaries is None:
        pytest.skip(MISSING)
    with run_postgresql(binaries) as address:
        yield address
