"""A thread made anew from the journals, whatever else they hold."""

from __future__ import annotations

from typing import Any

import pytest

from bot.decide.classify.classifier import compile_rules
from bot.models.label import label_record
from bot.triage.rebuild import Rebuilder
from tests.builders import CHANNEL, LIMITS, OPERATOR, T0, at, message
from tests.fakes import HandClock, MemoryJournal, operators

POSTED = {"posted_at": at(60).isoformat(), "posted_message_id": "160.000001"}


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (POSTED, "closed"),
        ({**POSTED, "posted_at": 5}, "collecting"),
        ({**POSTED, "posted_at": "2026-01-05"}, "collecting"),
        ({**POSTED, "posted_at": "soon"}, "collecting"),
        ({**POSTED, "posted_message_id": "x"}, "collecting"),
        ({}, "collecting"),
    ],
)
async def test_a_record_that_makes_no_sense_stops_nothing(reply: dict[str, Any], status: str) -> None:
    """A start makes threads anew, and must not end by a line that the disk has changed."""
    asked = message()
    judged = compile_rules(bot_id="U0TRIAGE").classify(asked, thread_is_open=False, at=T0)
    classified, replies = MemoryJournal(), MemoryJournal()
    await classified.append({**asked.model_dump(mode="json"), **judged.record()})
    await replies.append({**reply, "thread_id": asked.home})
    made = await Rebuilder(
        classified=classified,
        labels=MemoryJournal(),
        replies=replies,
        limits=LIMITS,
        clock=HandClock(),
        modes={CHANNEL: "live"},
        operators=operators(OPERATOR),
    ).rebuild(asked.home)
    assert made
    assert made.status == status


@pytest.mark.parametrize(
    ("why", "broken", "made"),
    [
        ("missed_this", {}, True),
        ("not_for_us", {}, False),
        ("missed_this", {"at": "soon"}, False),
        ("missed_this", {"message": {}}, False),
    ],
)
async def test_what_a_person_called_missed_is_played_again(why: Any, broken: dict[str, Any], made: bool) -> None:
    """The rules had left the message alone, and its judgement says so still."""
    asked = message("the invoices of May look odd")
    judged = compile_rules(bot_id="U0TRIAGE").classify(asked, thread_is_open=False, at=T0)
    assert judged.classification == "ambient"
    classified, labels = MemoryJournal(), MemoryJournal()
    await classified.append({**asked.model_dump(mode="json"), **judged.record()})
    label = label_record(asked, "actionable", by=OPERATOR, at=T0, why=why, interaction_id="i")
    await labels.append(label | {"why": why} | broken)
    thread = await Rebuilder(
        classified=classified,
        labels=labels,
        replies=MemoryJournal(),
        limits=LIMITS,
        clock=HandClock(),
        modes={CHANNEL: "live"},
        operators=operators(OPERATOR),
    ).rebuild(asked.home)
    assert (thread is not None and thread.messages[0].content == asked.content) == made
