"""The table below `/triage queue`: what stands there without buttons."""

from __future__ import annotations

import pytest

from blocks.text import size
from bot.commands.queue import MESSAGE_PAGE, TABLE_ROWS, WORK_ROWS
from bot.decide.redaction.redactor import Redactor
from bot.models.queue import QueueView
from sandbox.blockkit import checked_blocks
from tests.chat.crew import OPERATOR
from tests.chat.test_app_home import House
from tests.decide import test_workflow as story

QUEUE = QueueView()
LONGEST = 13_000
"""Characters of blocks that Slack takes."""


SECRET = "a-loaded" + "-secret-0815"


def house_of(words: str, *, waiting: int = 0, working: int = 0) -> House:
    """So many questions of these words."""
    house = House()
    for number in range(waiting + working):
        first = story.pending() if number < waiting else story.investigating()
        home = f"{first.thread_id.rpartition('-')[0]}-{100 + number}.000001"
        said = first.messages[0].evolve(content=f"{words} {SECRET}")
        thread = first.evolve(thread_id=home, messages=(said,), original_sender_name="Ana")
        house.store.saved[home] = thread
        house.orchestrator.open_threads.note(thread)
    return house


async def shown(house: House, view: QueueView = QUEUE) -> tuple[list[list[str]], int]:
    """The rows of the table, and how many more it counts."""
    blocks = await house.queue(Redactor([SECRET])).message(view, OPERATOR)
    checked_blocks(blocks)
    assert size(blocks) < LONGEST
    assert SECRET not in str(blocks)
    rows = [[cell["text"] for cell in row] for block in blocks if block["type"] == "table" for row in block["rows"][1:]]
    hidden = int(rows.pop()[0].split()[2]) if rows and rows[-1][0].startswith("… and") else 0
    return rows, hidden


@pytest.mark.parametrize(
    ("waiting", "working", "words"),
    [
        (0, WORK_ROWS, "where is it?"),
        (0, WORK_ROWS + 1, "where is it?"),
        (0, WORK_ROWS + TABLE_ROWS, "where is it?"),
        (0, WORK_ROWS + 300, "where is it?"),
        (0, WORK_ROWS + 300, "<!channel> wo ist das Limit für Größen? " * 40),
        (MESSAGE_PAGE, 0, "where is it?"),
        (MESSAGE_PAGE + 5, 0, "where is it?"),
        (MESSAGE_PAGE + 90, 0, "wo ist das Limit für Größen? " * 40),
    ],
)
async def test_what_has_no_buttons_stands_in_a_table(waiting: int, working: int, words: str) -> None:
    """Its age, channel, asker, question and state; all are counted, and Slack takes the message."""
    rows, hidden = await shown(house_of(words, waiting=waiting, working=working))
    beyond = max(0, waiting - MESSAGE_PAGE) + max(0, working - WORK_ROWS)
    assert len(rows) + hidden == beyond
    assert bool(rows) is bool(beyond)
    assert len(rows) <= TABLE_ROWS
    state = "investigating" if working else "waiting for a decision"
    assert all(row[1:3] == ["#help-platform", "Ana"] and row[4] == state for row in rows)


async def test_on_a_later_page_the_table_has_what_follows() -> None:
    """Behind the last page nothing waits."""
    house = house_of("where is it?", waiting=2 * MESSAGE_PAGE + 1, working=1)
    counts = [len((await shown(house, QueueView(at=at)))[0]) for at in (0, MESSAGE_PAGE, 2 * MESSAGE_PAGE, 999)]
    assert counts == [MESSAGE_PAGE + 1, 1, 0, 0]
