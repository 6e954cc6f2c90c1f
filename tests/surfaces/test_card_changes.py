"""Changes of a card that somebody has pressed, by the address of that press or in their turn."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import Crowded, Refused, RetryLater, TriageError
from bot.models.interaction import CardPress
from bot.surfaces.card_changes import CardChanges
from bot.surfaces.response_urls import USES
from tests.builders import added, moved
from tests.fakes import HandClock


class Slack:
    """Refuses the first uses of an address as it is told."""

    def __init__(self, *failures: TriageError) -> None:
        self._failures = list(failures)
        self.calls: list[str] = []

    async def respond(self, **_: Any) -> None:
        """Change a message by its address."""
        if self._failures:
            raise self._failures.pop(0)
        self.calls.append("address")

    async def update(self, **_: Any) -> None:
        """Change a message in its turn."""
        self.calls.append("turn")


@pytest.mark.parametrize(
    ("failures", "ways"),
    [
        ((), ["address"] * USES + ["turn"]),
        ((Crowded("no room"),), ["turn", *["address"] * USES]),
        ((Crowded("no room"), Crowded("no room")), ["turn", "turn", *["address"] * (USES - 1)]),
        ((RetryLater("no answer"),), ["turn"] * (USES + 1)),
        ((Refused("used up", code="http_404"),), ["turn"] * (USES + 1)),
    ],
)
async def test_an_address_that_was_not_used_is_not_forgotten(
    failures: tuple[TriageError, ...], ways: list[str]
) -> None:
    """Where the rates leave no room for it nothing was sent; each other failure ends it."""
    slack, thread = Slack(*failures), moved(None, added())
    changes = CardChanges(chat=slack, clock=HandClock())  # type: ignore[arg-type]  # two calls of many
    changes.remember_response_url(
        CardPress(user_id="U0OPS", thread_id=thread.thread_id, message_ts="1.1", is_ephemeral=False, response_url="a")
    )
    for number in range(USES + 1):
        await changes.change(thread, "D0OPS", "1.1", {}, {"text": str(number), "blocks": []})
    assert slack.calls == ways
