"""Evidence from the checkout to the reply: pinned links, and the dialog that any restart leaves working."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.line.human import shows
from tests.line.test_straight_line import QUESTION
from tests.tools.conftest import commit, git

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def test_evidence_is_shown_after_a_restart_and_linked_in_the_reply(line: Line) -> None:
    """The card, the dialog and the posted reply lead to the very lines, at the commit that they were read at."""
    shop = line.folder / "shop"
    git(shop, "init", "--quiet")
    page = f"https://github.com/example/shop/blob/{commit(shop, 'first')}/orders.py#L3-L4"
    pinned = {"project": "web_url: https://github.com/example/shop"}
    async with line.bot(**pinned):
        asked = await line.ana.say(QUESTION)
        await line.olu.card("Evidence checked", page, '"approve"')
    async with line.bot(**pinned):
        card = await line.olu.card('"approve"')
        assert (await line.olu.press("show_evidence", card))["ok"]
        dialog = await line.olu.dialog()
        assert dialog["title"]["text"] == "Evidence"
        said = json.dumps(dialog["blocks"], ensure_ascii=False)
        assert "✓ the quote stands in lines 3-4" in said
        assert "RETRY_LIMIT = 3" in said
        assert page in said
        await line.olu.press("approve", card)
        (reply,) = await line.ana.replies(asked)
        assert shows(reply, page)
        settled = await line.olu.card("The reply is posted.")
        assert not shows(settled, "show_evidence")
