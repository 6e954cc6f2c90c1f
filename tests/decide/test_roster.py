"""Who answers here."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.roster import Answerer, answerers
from tests.builders import message


def question(number: int, by: str, classification: str = "actionable") -> dict[str, Any]:
    """The first message of a thread."""
    fields = message(ts=f"{number}.000001", sender=by).model_dump(mode="json")
    return {**fields, "classification": classification}


def reply(number: int, by: str, classification: str = "ambient", sender_type: str = "user") -> dict[str, Any]:
    """A message in that thread."""
    said = message("look here", ts=f"{number}.5", root=f"{number}.000001", sender=by, sender_type=sender_type)
    return {**said.model_dump(mode="json"), "classification": classification}


def threads(count: int, *, askers: int = 3, by: str = "U0OLU", **of: Any) -> list[dict[str, Any]]:
    """So many questions of so many people, each answered by one."""
    return [record for n in range(count) for record in (question(n, f"U{n % askers}ASK"), reply(n, by, **of))]


def test_who_answers_and_hardly_asks_is_named() -> None:
    """With how often he did either; the busiest first."""
    records = threads(40) + [question(100, "U0OLU")] + [reply(n, "U0MAX") for n in range(20)]
    assert answerers(records) == [Answerer("U0OLU", asked=1, answered=40), Answerer("U0MAX", asked=0, answered=20)]


@pytest.mark.parametrize(
    "records",
    [
        threads(9),
        threads(40, askers=2),
        threads(40) + [question(100 + n, "U0OLU") for n in range(10)],
        threads(40, by="B1", sender_type="bot"),
        threads(40, classification="ack"),
        [question(n, "U0OLU") for n in range(40)] + [reply(n, "U0OLU") for n in range(40)],
        [reply(n, "U0OLU") for n in range(40)],
        [question(0, "U1ASK"), *(reply(0, "U0OLU") for _ in range(40))],
        [{}, {"sender": 5}, {"sender": {"type": "user", "id": 5}}, {"thread_id": []}],
        [],
    ],
    ids=["few", "two people", "asks too", "bot", "thanks", "own", "unknown", "one long", "broken", "none"],
)
def test_nobody_is_named_where_it_is_not_sure(records: list[dict[str, Any]]) -> None:
    """Too few threads, too few people, too many questions of his own, or nothing to tell by."""
    assert answerers(records) == []
