"""The work below the list of `/triage queue`: rows with buttons, then a table."""

from __future__ import annotations

import pytest

from blocks.text import size
from bot.assistant.queue import WORK_ROWS, WORK_TABLE
from bot.decide.redact import Redactor
from bot.models.queue import QueueView
from sandbox.blockkit import checked_blocks
from tests.assistant.crew import OPERATOR
from tests.assistant.test_home import House
from tests.decide import test_workflow as story

LONGEST = 13_000
"""Characters of blocks that Slack takes."""


@pytest.mark.parametrize(
    ("work", "words", "rows"),
    [
        (WORK_ROWS, "where is it?", 0),
        (WORK_ROWS + 1, "where is it?", 1),
        (WORK_ROWS + WORK_TABLE, "where is it?", WORK_TABLE),
        (WORK_ROWS + 300, "where is it?", WORK_TABLE),
        (WORK_ROWS + 300, "<!channel> wo ist das Limit für Größen? " * 40, WORK_TABLE),
    ],
)
async def test_work_that_has_no_row_with_buttons_stands_in_a_table(work: int, words: str, rows: int) -> None:
    """Its age, channel, asker, question and state; all are counted, and Slack takes the message."""
    house, secret = House(), "a-loaded" + "-secret-0815"
    first = story.investigating()
    for number in range(work):
        home = f"{first.thread_id.rpartition('-')[0]}-{100 + number}.000001"
        said = first.messages[0].evolve(content=f"{words} {secret}")
        thread = first.evolve(thread_id=home, messages=(said,), original_sender_name="Ana")
        house.store.saved[home] = thread
        house.orchestrator.open_threads.note(thread)
    blocks = await house.queue(Redactor([secret])).message(QueueView(), OPERATOR)
    checked_blocks(blocks)
    assert size(blocks) < LONGEST
    assert secret not in str(blocks)
    tables = [block for block in blocks if block["type"] == "table"]
    shown = [[cell["text"] for cell in row] for table in tables for row in table["rows"][1:]]
    hidden = int(shown.pop()[0].split()[2]) if shown and shown[-1][0].startswith("… and") else 0
    assert len(shown) + hidden == work - WORK_ROWS
    assert len(shown) <= rows
    assert all(row[1:3] == ["#help-platform", "Ana"] and row[4] == "investigating" for row in shown)
    assert not rows or shown
