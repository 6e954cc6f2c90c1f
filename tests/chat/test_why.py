"""`why`, of what was said to the bot itself."""

from __future__ import annotations

from typing import Any

import pytest

from bot.approval.labels import Labels
from bot.commands.inputs import OfMessage
from bot.commands.messages import ClassificationCommands, _describe_left_out
from bot.decide.classify.classifier import compile_rules
from bot.models.alert import Alert, AlertChange, AlertState, begin_record
from bot.models.status import Outcome
from bot.models.thread import Thread
from tests.builders import CHANNEL, TEAM, added, at, message, moved
from tests.chat.crew import command
from tests.fakes import HandClock, MemoryJournal, MemoryStore

URL = "https://x.slack.com/"


def commands(classified: MemoryJournal, store: MemoryStore) -> ClassificationCommands:
    """The command on this journal and these threads."""
    return ClassificationCommands(
        classified=classified,
        labels=Labels(journal=MemoryJournal(), clock=HandClock()),
        store=store,
        team_id=TEAM,
        url=URL,
        watched=frozenset({CHANNEL}),
    )


async def test_what_took_the_other_door_says_so() -> None:
    """With the reason of the rule."""
    classified = MemoryJournal()
    place: dict[str, Any] = {
        "chat_id": CHANNEL,
        "message_id": "100.000001",
        "classified_at": "1970-01-01T00:01:40+00:00",
    }
    await classified.append({**place, "classification": "ambient", "door": "chat", "door_why": "an order"})
    messages = commands(classified, MemoryStore())
    asked = OfMessage.model_validate({"link": f"{URL}archives/{CHANNEL}/p100000001"})
    answer = await messages.why(asked, command())
    assert answer.line == "It was taken as addressed to Triage itself, not as a question: an order."


@pytest.mark.parametrize(("state", "words"), [("resolved", "It ended"), ("acknowledged", "It acknowledged")])
async def test_the_end_of_an_alert_says_what_it_did(state: AlertState, words: str) -> None:
    """With a link to the alert, and what became of its thread."""
    classified, store = MemoryJournal(), MemoryStore()
    judged = compile_rules(bot_id="U0TRIAGE").classify(message("[RESOLVED] A"), thread_is_open=False, at=at())
    await classified.append(
        {
            **judged.record(),
            "chat_id": CHANNEL,
            "message_id": "200.000001",
            "sender": {"type": "bot"},
            "classified_at": "1970-01-01T00:03:20+00:00",
        }
    )
    alert = Alert(source="grafana", state="firing", title="A", fingerprint="f", group="g")
    record = begin_record(alert, "100.000001", at())
    record = record.evolve(
        changes=(*record.changes, AlertChange(at=at(9), state=state, message_id="200.000001")), recovered_at=at(9)
    )
    await store.save(moved(None, added()).evolve(alert=record, status="closed", outcome="recovered"))
    asked = OfMessage.model_validate({"link": f"{URL}archives/{CHANNEL}/p200000001"})
    answer = await commands(classified, store).why(asked, command())
    assert f"{words} <{URL}archives/{CHANNEL}/p100000001|this alert>. Its thread is closed, recovered." in answer.line


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ("taken-over", "an operator took its thread over"),
        ("muted", "its thread was muted"),
        ("replied", "its thread is closed and somebody else's"),
        (None, "a reply was on its way"),
    ],
)
def test_a_message_that_no_question_of_its_thread_took_says_why(outcome: Outcome | None, reason: str) -> None:
    """And what its author can do."""
    thread: Thread = moved(None, added())
    line = _describe_left_out(thread.evolve(status="closed", outcome=outcome) if outcome else thread)
    assert reason in line
    assert line.endswith("Mention the bot there to ask.")
