"""What an asker sees of their own question, through the whole line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakes import HeldEngine
from tests.line.test_straight_line import QUESTION

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_mine_says_where_a_question_stands(line: Line) -> None:
    """While it is looked up, as it waits, and once it is answered; the draft is in none of it."""
    engine = HeldEngine()
    async with line.bot(engine=engine):
        asked = await line.ana.say(QUESTION)
        await engine.arrived.wait()
        assert "is being looked up" in await line.ana.command("mine")
        engine.answer(QUESTION, "Three times.")
        card = await line.olu.card("Three times.", '"approve"')
        said = await line.ana.command("mine")
        assert "(number 1 of 1)" in said
        assert QUESTION in said
        assert "Three times" not in said
        assert "No question of yours is open" in await line.ada.command("mine")
        await line.olu.press("approve", card)
        await line.ana.replies(asked)
        await line.olu.card("The reply is posted")
        assert "answered in its thread" in await line.ana.command("mine")
