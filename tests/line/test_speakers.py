"""Lines of several people are told apart, on the card and for the agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.line.agents import agents
from tests.line.play import Play, said
from tests.line.test_straight_line import QUESTION

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_who_said_which_line_of_a_question(line: Line) -> None:
    """The card names both by their elements; investigator and validator read each line under its author's name."""
    play = Play()
    async with agents(line, play):
        asked = await line.ana.say(QUESTION)
        waits = await line.olu.card(QUESTION, '"approve"')
        await line.ada.say("I think it is five times now", thread_ts=asked)
        card = await line.olu.card("I think it is five times now", "Look again")
        assert "five times now" not in card["text"].partition("Look again")[0]
        (quote,) = [e for b in card["blocks"] for e in b.get("elements", ()) if e.get("type") == "rich_text_quote"][:1]
        people = [element.get("user_id") for element in quote["elements"] if element["type"] == "user"]
        assert people == ["U0ANA", "U0ADMIN"]
        await line.olu.press("redraft", card)
        await line.olu.card("I think it is five times now", '"approve"')
    assert waits["ts"]
    for role in ("investigator", "validator"):
        words = said(play.of(role)[-1])
        assert 'author="Ana"' in words
        assert 'author="Ada"' in words
        assert words.index(QUESTION) < words.index("I think it is five times now")
