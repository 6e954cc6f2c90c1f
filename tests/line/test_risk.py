"""Risky advice on the whole line: found by code, named on the card, asked for once more by Approve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.line.agents import QUESTION, agents
from tests.line.human import replies, shows
from tests.line.play import READ, Play, found
from tests.line.test_edits import approve, edits

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_a_models_word_clears_no_risky_advice(line: Line) -> None:
    """Investigator and validator agree; the card has no ✓, names the advice, and a press that did not posts nothing."""
    said = "Three times: `RETRY_LIMIT = 3` in `orders.py:3`. To be safe, restart the payment worker."
    play = Play(investigator=((READ, found(draft_reply=said, confidence="high")),))
    async with agents(line, play):
        asked = await line.ana.say(QUESTION)
        named = "It advises to restart: `To be safe, restart the payment worker.`."
        card = await line.olu.card(named, "Not validated", '"approve"')
        assert not shows(card, "✓ validated")
        button = approve(card)
        assert button["confirm"]["text"]["text"] == named
        forged = " ".join(button["value"].split(" ")[:2])
        await line.olu._call("press", action_id="approve", value=forged, message_ts=card["ts"])
        assert replies(await line.ana.now(), asked) == []
        await line.olu.press("approve", await line.olu.card(named, '"approve"'))
        assert len(await line.ana.replies(asked)) == 1


async def test_a_quoted_runbook_and_an_edit_are_looked_at_too(line: Line) -> None:
    """Of the engine without a model; the text of a person's is judged as it is then."""
    (line.folder / "shop" / "runbook.md").write_text("# When payments are stuck\n\nkubectl delete pod payments-0\n")
    async with line.bot():
        await line.ana.say("what do we do when payments are stuck?")
        card = await line.olu.card("It advises to delete: `kubectl delete pod payments-0`.", '"approve"')
        assert "It advises to delete" in approve(card)["confirm"]["text"]["text"]
        await edits(line, card, "See `runbook.md:1`.")
        card = await line.olu.card("1 of 1 reference open", "See", '"approve"')
        assert "confirm" not in approve(card)
        await edits(line, card, "See `runbook.md:1`, then roll back the release.")
        card = await line.olu.card("It advises to roll back", '"approve"')
        assert "It advises to roll back" in approve(card)["confirm"]["text"]["text"]
