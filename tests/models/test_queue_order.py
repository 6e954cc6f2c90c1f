"""The order of what waits: since when a question waits for a person."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bot.models.queue_order import waits_since
from bot.models.status_change import StatusChange
from tests.builders import at
from tests.decide import test_workflow as story


@pytest.mark.parametrize(
    ("statuses", "minutes"),
    [
        ("new collecting", 0),
        ("new collecting investigating", 0),
        ("new collecting investigating pending-user", 2),
        ("new collecting pending-user bounced-round-1 pending-user", 1),
        ("new collecting pending-user approved in-doubt", 1),
        ("new collecting pending-user closed collecting investigating", 3),
        ("new collecting pending-user closed collecting investigating pending-user investigating", 5),
        ("new collecting closed investigating pending-user", 3),
        ("new investigating in-doubt", 1),
    ],
)
def test_a_question_waits_since_it_first_came_to_a_person(statuses: str, minutes: int) -> None:
    """Neither another draft nor a reply in doubt begins its wait anew; the next question of the thread does."""
    names = statuses.split()
    history = [
        StatusChange(at=at(0) + timedelta(minutes=number), previous=names[number], next=name)
        for number, name in enumerate(names[1:])
    ]
    thread = story.pending().evolve(status_history=tuple(history))
    assert waits_since(thread) - at(0) == timedelta(minutes=minutes)
