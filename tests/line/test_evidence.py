"""Evidence from the checkout to the reply: pinned links, and the dialog that any restart leaves working."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.line.human import shows
from tests.line.test_straight_line import QUESTION
from tests.tools.conftest import commit, git

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_evidence_is_shown_after_a_restart_and_linked_in_the_reply(line: Line) -> None:
    """Dialog and reply lead to the very lines, at the commit that they were read at; a settled card has both."""
    shop = line.folder / "shop"
    git(shop, "init", "--quiet")
    page = f"https://github.com/example/shop/blob/{commit(shop, 'first')}/orders.py#L3-L4"
    pinned = "web_url: https://github.com/example/shop"
    async with line.bot(project=pinned):
        asked = await line.ana.say(QUESTION)
        await line.olu.card("Evidence checked", page, '"approve"')
    async with line.bot(project=pinned):
        card = await line.olu.card('"approve"')
        dialog = await line.olu.evidence(card, "✓ the quote is in lines 3-4", "RETRY_LIMIT = 3", page)
        assert dialog["title"]["text"] == "Evidence"
        await line.olu.press("approve", card)
        (reply,) = await line.ana.replies(asked)
        assert shows(reply, page)
        settled = await line.olu.card(
            f"/p{reply['ts'].replace('.', '')}?thread_ts={asked}&cid=C0HELP|The reply is posted."
        )
        assert len(settled["blocks"]) == 3
        await line.olu.evidence(settled, "*The draft*", page)
    async with line.bot(project=pinned):
        await line.olu.evidence(await line.olu.card("The reply is posted."), "✓ the quote is in lines 3-4", page)
        await line.ana.say("and how is an order cancelled?", thread_ts=asked)
        waiting = await line.olu.card("how is an order cancelled?", '"approve"')
        await line.olu.evidence(settled, QUESTION, "continued with another question", "orders.py:3-4")
        await line.olu.evidence(waiting, "how is an order cancelled?", "cancel_order")
