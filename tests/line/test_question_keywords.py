"""A team's own words that ask, on the whole line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.line.human import shows

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_a_keyword_makes_a_question_and_is_not_searched_for(line: Line) -> None:
    """A statement with `wdyt` gets a card; the word is neither looked for nor missed in the project."""
    async with line.bot(more="classifier: {question_keywords: [wdyt]}"):
        await line.ana.say("cancel_order gives the money back within two days, wdyt")
        card = await line.olu.card("orders.py:", '"approve"')
        evidence = await line.olu.evidence(card, "orders.py:")
        assert not shows(evidence, "not in the project")
        await line.ana.say("the lunch order of friday, wdyt?")
        evidence = await line.olu.evidence(await line.olu.card("lunch"), "lunch")
        searched = [text for text in str(evidence).split("\\n") if "searched for" in text or "nowhere" in text]
        assert searched
        assert not any("wdyt" in text for text in searched)
