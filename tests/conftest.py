"""The order of the whole suite: its longest file starts first, so that no worker is left alone with it at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

LONGEST = "tests/torture/"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest first; all else stays where it is."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))
