"""Work beside the loop: what is short is done immediately, what is long in a thread."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from bot.runtime.offload import SHORT, run_offloaded
from tests.builders import added, moved


def where(*_: Any) -> str:
    """The name of the thread that does the work."""
    return threading.current_thread().name


@pytest.mark.parametrize(
    ("given", "is_long"),
    [
        ("a" * SHORT, False),
        ("a" * (SHORT + 1), True),
        ([{"text": "a"}, 1, None], False),
        ({"a": [["b" * 900]] * 3}, True),
        ({"k" * (SHORT + 1): 1}, True),
        (moved(None, added()), False),
        (moved(None, added("a" * SHORT)), True),
    ],
)
async def test_a_long_text_is_worked_on_in_a_thread(given: Any, is_long: bool) -> None:
    """Wherever it stands: in a value, a key, a document."""
    assert (await run_offloaded(where, given)).startswith("beside") == is_long
