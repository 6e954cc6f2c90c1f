"""Thumbs under a posted reply, as readers press them and as the operator hears of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.line.test_straight_line import QUESTION, records

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_a_reader_says_what_was_wrong_with_a_reply(line: Line) -> None:
    """The thumb counts immediately, the dialog adds why, and the card's thread tells the operator."""
    async with line.bot():
        asked = await line.ana.say(QUESTION)
        card = await line.olu.card("Approve")
        await line.olu.press("approve", card)
        (reply,) = await line.ana.replies(asked)
        (document,) = (line.home / "state").glob("*.json")
        (thread,) = json.loads(document.read_bytes())["thread"].values()
        sealed = json.loads(thread["draft_pending"]["payload"])["blocks"]
        shown = [{key: value for key, value in block.items() if key != "block_id"} for block in reply["blocks"]]
        assert shown[:-1] == sealed
        assert shown[-1]["type"] == "context_actions"
        await line.ana.whispered(line.ana.thumb("up", reply), "Thank you")
        assert (await line.ana.thumb("down", reply))["ok"]
        dialog = await line.ana.dialog()
        refused = await line.ana.submit(dialog)
        assert refused["errors"] == {"reason": "Please choose a reason, or write something below."}
        assert (await line.ana.submit(dialog, reason="outdated", text="It is *five* now. <!channel>"))["ok"]
        told = await line.olu.sees(lambda view: len(said := _under(view, card["ts"])) == 2 and said)
        assert "Thumb down on this reply by <@U0ANA>." in told[0]["text"]
        assert "outdated: It is *five* now. &lt;!channel&gt;" in told[1]["text"]
    kept = records(line.home / "feedback.ndjson")
    assert [(word["vote"], word["reason"]) for word in kept] == [("up", None), ("down", None), ("down", "outdated")]
    assert {word["posted_message_id"] for word in kept} == {reply["ts"]}


def _under(view: dict, ts: str) -> list[dict]:  # type: ignore[type-arg]  # as the page gets it
    """The replies under a message of a direct message."""
    roots = [m for dm in view["dms"] for m in dm["messages"] if m["ts"] == ts]
    return [reply for root in roots for reply in root["replies"]]
