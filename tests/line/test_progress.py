"""Work in progress, as operators see it: in the App Home, until there is something to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fakes import HeldEngine
from tests.line.human import cards, shows
from tests.line.test_straight_line import QUESTION, records

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_a_question_that_is_investigated_stands_in_the_home_and_on_no_card(line: Line) -> None:
    """Stop ends its run from there, and only then its operator has a card, which offers another draft."""
    engine = HeldEngine()
    async with line.bot(engine=engine) as bot:
        await line.ana.say(QUESTION)
        await engine.arrived.wait()
        home = await line.olu.home()
        assert shows(home, "Investigating")
        assert shows(home, QUESTION)
        assert cards(await line.olu.now()) == []
        await line.olu.press("stop")
        card = await line.olu.card("an operator stopped the investigation", '"redraft"')
        assert card["text"].endswith("No draft: an operator stopped the investigation.")
        assert bot.orchestrator.running == 0
        engine.answer(QUESTION, "Three times.")
        await line.olu.press("redraft", card)
        await line.olu.card("Three times.", '"approve"')
        assert len(cards(await line.olu.now())) == 1
    assert [x["action"] for x in records(line.home / "audit.ndjson") if "action" in x][:2] == ["stop", "redraft"]


async def test_nobody_but_an_operator_ends_what_runs(line: Line) -> None:
    """A press that was made up on a Home is refused as it is on a card."""
    engine = HeldEngine()
    async with line.bot(engine=engine) as bot:
        await line.ana.say(QUESTION)
        await engine.arrived.wait()
        home = await line.ana.home()
        assert not shows(home, '"stop"')
        assert not (await line.ana.press("stop"))["ok"]
        assert bot.orchestrator.running == 1
