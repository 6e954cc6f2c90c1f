"""The order of the whole suite: its longest file first, and files that wait between files that compute."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    import pytest

LONGEST = "tests/torture/"

gc.disable()  # what is loaded and collected stays to the end


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest first, so that no worker is left alone with it at the end, and all others in no order.

    Beside each other lie tests of one kind: all workers would wait for bots at once, and compute at once.
    """
    items.sort(key=lambda item: (not item.nodeid.startswith(LONGEST), crc32(item.nodeid.partition("::")[0].encode())))


def pytest_collection_finish() -> None:
    """Look from now on at what tests make, and no more at all that was loaded before them."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 20, 50)
