"""Cards on which nobody decides: they expire while the bot runs, and while it is down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.line.conftest import TriageTime
from tests.line.human import replies
from tests.line.test_straight_line import QUESTION

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_a_card_expires_while_the_bot_runs(line: Line) -> None:
    """The card says so, nothing is posted, and the asker's next message opens the question again."""
    clock = TriageTime()
    async with line.bot(clock=clock):
        asked = await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
        clock.move(hours=71)
        await line.olu.press("edit")
        assert await line.olu.dialog()  # it is still there to be decided
        clock.move(hours=2)
        await line.olu.card(QUESTION, "Expired")
        assert replies(await line.ana.now(), asked) == []
        await line.ana.say("how often is a payment tried again?", thread_ts=asked)
        assert await line.olu.card("how often is a payment tried again?", '"approve"')


async def test_a_card_expires_while_the_bot_is_down(line: Line) -> None:
    """At the next start; a setting says after how many hours."""
    hours = "approval: {expire_hours: 2}"
    async with line.bot(more=hours):
        await line.ana.say(QUESTION)
        await line.olu.card(QUESTION, '"approve"')
    async with line.bot(more=hours, clock=TriageTime(hours=1)):
        await line.olu.card(QUESTION, '"approve"')
    async with line.bot(more=hours, clock=TriageTime(hours=3)):
        await line.olu.card(QUESTION, "Expired")
