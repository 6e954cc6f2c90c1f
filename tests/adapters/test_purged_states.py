"""A purge takes from weekly samples what names a person, a channel or a thread, and leaves the other judgements."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from bot.adapters.purge import purge
from bot.models.purge_criterion import Criterion

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    {"chat_id": "C1", "message_id": "1.1", "by": "U0OPS"},
    {"chat_id": "C1", "message_id": "2.1", "by": "U0ADA"},
    {"chat_id": "C2", "message_id": "3.1", "by": None},
]


@pytest.mark.parametrize(
    ("criterion", "left"),
    [
        (Criterion(user="U0ADA"), ["1.1", "3.1"]),
        (Criterion(channel="C2"), ["1.1", "2.1"]),
        (Criterion(thread_id="T0-C1-1.1"), ["2.1", "3.1"]),
        (Criterion(user="U0BOSS"), []),
        (Criterion(user="U0NOBODY"), ["1.1", "2.1", "3.1"]),
    ],
)
def test_only_rows_that_are_named_go(tmp_path: Path, criterion: Criterion, left: list[str]) -> None:
    """The whole sample goes with the person who got it."""
    path = tmp_path / "samples.json"
    path.write_text(json.dumps({"2026-01-05": {"operator": "U0BOSS", "channel": "D0", "ts": "9.9", "rows": ROWS}}))
    purge(tmp_path, criterion, really=True)
    samples = json.loads(path.read_text()).values()
    assert [row["message_id"] for sample in samples for row in sample["rows"]] == left


def test_a_damaged_file_stays(tmp_path: Path) -> None:
    """It is no reason to stop."""
    (tmp_path / "samples.json").write_text('{"2026-01-05": 3}')
    purge(tmp_path, Criterion(user="U0ADA"), really=True)
    assert (tmp_path / "samples.json").read_text() == '{"2026-01-05": 3}'
