"""`why`, of what was said to the bot itself."""

from __future__ import annotations

from typing import Any

from bot.approval.labels import Labels
from bot.commands.inputs import OfMessage
from bot.commands.messages import ClassificationCommands
from tests.builders import CHANNEL, TEAM
from tests.chat.crew import command
from tests.fakes import HandClock, MemoryJournal, MemoryStore

URL = "https://x.slack.com/"


async def test_what_took_the_other_door_says_so() -> None:
    """With the reason of the rule."""
    classified = MemoryJournal()
    place: dict[str, Any] = {
        "chat_id": CHANNEL,
        "message_id": "100.000001",
        "classified_at": "1970-01-01T00:01:40+00:00",
    }
    await classified.append({**place, "classification": "ambient", "door": "chat", "door_why": "an order"})
    messages = ClassificationCommands(
        classified=classified,
        labels=Labels(journal=MemoryJournal(), clock=HandClock()),
        store=MemoryStore(),
        team_id=TEAM,
        url=URL,
        watched=frozenset({CHANNEL}),
    )
    asked = OfMessage.model_validate({"link": f"{URL}archives/{CHANNEL}/p100000001"})
    answer = await messages.why(asked, command())
    assert answer.line == "It was taken as addressed to Triage itself, not as a question: an order."
