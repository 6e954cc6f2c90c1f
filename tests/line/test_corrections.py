"""A message that the rules took for no question is taken up after all, by those who answer, and learned from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.line.human import cards
from tests.line.test_commands import link
from tests.line.test_straight_line import QUESTION, records

if TYPE_CHECKING:
    from tests.line.conftest import Line

MISSED = "FYI: RETRY_LIMIT puzzles me a little"


async def test_missed_this_has_a_message_investigated_and_learned_from(line: Line) -> None:
    """By the shortcut, once, for those who answer; the judgement of the rules stands, and `why` tells both."""
    async with line.bot():
        said = await line.ana.say(MISSED)
        await line.ana.whispered(line.ana.shortcut("missed_this", said), "Only operators, admins")
        assert cards(await line.olu.now()) == []
        await line.olu.whispered(line.olu.shortcut("missed_this", said), "Its investigation starts.")
        assert await line.olu.card(MISSED, "Take Over")
        await line.olu.whispered(
            line.olu.shortcut("missed_this", said), "already investigated", "waiting for a decision"
        )
        why = await line.olu.command(f"why {link(line, said)}")
        assert why.startswith("Ambient")
        assert "Corrected: <@U0OPS> says: this was missed" in why
        assert "waiting for a decision" in why
        assert len(cards(await line.olu.now())) == 1
    (label,) = records(line.home / "labels.ndjson")
    assert (label["label"], label["by"], label["message"]["content"]) == ("actionable", "U0OPS", MISSED)
    (judged,) = records(line.home / "events-classified.ndjson")
    assert (judged["classification"], judged["message_id"]) == ("ambient", said)
    results = [record["result"] for record in records(line.home / "audit.ndjson") if record["action"] == "missed_this"]
    assert len(results) == 3


async def test_an_emoji_says_the_same_and_takes_it_back(line: Line) -> None:
    """Whoever may not teach is left alone; what the emoji began goes on without it."""
    async with line.bot():
        said = await line.ana.say(MISSED)
        await line.ana.react(said, "sos")
        await line.olu.whispered(line.olu.react(said, "sos"), "Its investigation starts.")
        assert await line.olu.card(MISSED, "Take Over")
        taking_back = line.olu.react(said, "sos", remove=True)
        await line.olu.whispered(taking_back, "Taken back")
    labels = [(label["label"], label["by"]) for label in records(line.home / "labels.ndjson")]
    assert labels == [("actionable", "U0OPS"), ("withdrawn", "U0OPS")]


async def test_not_for_us_on_a_card_is_learned_from(line: Line) -> None:
    """The reason of a dismissal; `why` tells who said so."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        await line.olu.dismiss(await line.olu.card("Approve"), reason="not_for_us")
        assert await line.olu.card("Dismissed", "not for us")
        why = await line.olu.command(f"why {link(line, asked)}")
        assert "Corrected: <@U0OPS> says: this is not for us" in why
        assert "closed, dismissed" in why
    (label,) = records(line.home / "labels.ndjson")
    assert (label["label"], label["by"], label["message"]["message_id"]) == ("ambient", "U0OPS", asked)
