"""Thumbs, counted: each person once for each reply, with their newest word."""

from __future__ import annotations

from typing import Any

import pytest

from bot.reports.feedback import count_votes


def thumb(by: str, vote: str, reason: str | None = None, draft: str = "T0-C0-1.1/1") -> dict[str, Any]:
    """A line of `feedback.ndjson`."""
    return {"draft_id": draft, "by": by, "vote": vote, "reason": reason}


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param([], {}, id="nothing was said"),
        pytest.param([thumb("U1", "up"), thumb("U2", "up")], {"up": 2}, id="two people"),
        pytest.param([thumb("U1", "up"), thumb("U1", "up")], {"up": 1}, id="one person twice"),
        pytest.param([thumb("U1", "up"), thumb("U1", "up", draft="T0-C0-1.1/2")], {"up": 2}, id="two replies"),
        pytest.param([thumb("U1", "down", "outdated"), thumb("U1", "up")], {"up": 1}, id="the newest word counts"),
        pytest.param(
            [thumb("U1", "down"), thumb("U1", "down", "outdated"), thumb("U1", "down")],
            {"down": 1, "outdated": 1},
            id="pressed again it keeps its reason",
        ),
        pytest.param(
            [thumb("U1", "down", "outdated"), thumb("U1", "down", "wrong_source")],
            {"down": 1, "wrong_source": 1},
            id="the newest reason counts",
        ),
        pytest.param(
            [thumb("U1", "down", "outdated"), thumb("U1", "up"), thumb("U1", "down")],
            {"down": 1},
            id="an old reason is not a new one",
        ),
        pytest.param([thumb("U1", "up"), thumb("U1", "bounced")], {"up": 1}, id="an operator's word is no reader's"),
        pytest.param([{"vote": 5, "by": []} | {"by": "U1"}], {}, id="a line that makes no sense"),
    ],
)
def test_votes(records: list[dict[str, Any]], expected: dict[str, int]) -> None:
    """What stands of each person's word on each reply."""
    assert {name: count for name, count in count_votes(records).items() if count} == expected
