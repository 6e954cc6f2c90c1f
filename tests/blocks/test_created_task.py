"""First message of a created task, and the words of its cards."""

from __future__ import annotations

import json
from typing import Any

import pytest

from blocks.asker import build_asker_line
from blocks.card import build_card
from blocks.created_task import CREATED_TASK, build_first_message
from blocks.progress import describe_progress
from blocks.settled_card import build_settled_card
from bot.models.asker_line import AskerLine
from bot.models.order_record import OrderRecord
from sandbox.blockkit import checked_blocks
from tests.builders import at
from tests.decide import ordered as story
from tests.decide.ordered import order

LINK = "https://sandbox.slack.com/archives/C0HELP/p100000001"
NEXT = "The result is posted in this thread, once an operator has approved it."


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({}, NEXT),
        ({"waits_for": ("a-1",)}, f"It starts after `a-1`. {NEXT}"),
        (
            {"waits_for": ("a-1", "b-2"), "waits_for_others": 1},
            f"It starts after `a-1`, `b-2` and 1 other task. {NEXT}",
        ),
        ({"waits_for_others": 2}, f"It starts after 2 tasks. {NEXT}"),
        (
            {"refused_in": "C0OLD", "refusal": "the channel is archived"},
            f"{NEXT} It was meant for <#C0OLD>, but the channel is archived.",
        ),
    ],
)
def test_the_first_message_says_what_it_waits_for(fields: dict[str, Any], line: str) -> None:
    """Title and creator first; the id is in the metadata, and the description is not there."""
    message = build_first_message(OrderRecord(order=order(title="Fix <it> & go"), **fields))
    assert checked_blocks(message["blocks"])
    assert message["blocks"][0]["text"]["text"] == "*Fix &lt;it&gt; &amp; go*: a task of <@U0ANA>."
    assert message["blocks"][1]["elements"][0]["text"] == line
    assert message["text"] == f"Fix &lt;it&gt; &amp; go: a task of <@U0ANA>. {line}"
    assert message["metadata"] == {"event_type": CREATED_TASK, "event_payload": {"order_id": order().order_id}}
    assert order().description not in json.dumps(message)


def test_cards_and_lines_call_it_a_task() -> None:
    """As people call it; a further question in its thread is a question."""
    assert "|open the task>" in json.dumps(build_card(story.pending(), link=LINK))
    assert "|the task>" in json.dumps(build_settled_card(story.replied(), LINK))
    thread = story.waiting()
    assert describe_progress(thread) == f"*Waits* for its start; `/triage thread {thread.task}` says why."
    line = AskerLine(at=at(), ending="expired", question_round=1)
    assert build_asker_line(story.replied(), line).startswith("Nobody decided on your task \u201cList the limits")
    later = story.replied().evolve(question_round=2)
    assert "|the question>" in json.dumps(build_settled_card(later, LINK))
