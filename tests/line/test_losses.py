"""People, channels and the app that go away: whoever must act is told once, and questions still find somebody."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import aiohttp

from tests.line.human import View, cards, newest
from tests.line.test_straight_line import QUESTION

if TYPE_CHECKING:
    from tests.line.conftest import Line


async def fault(line: Line, **wish: Any) -> None:
    """Order a fault of the workspace."""
    async with aiohttp.ClientSession() as session:
        async with session.post(f"{line.workspace.url}/faults", json=wish) as answer:
            assert answer.status == 200, await answer.text()


async def mended(line: Line) -> None:
    """Take back every fault that was ordered."""
    async with aiohttp.ClientSession() as session:
        await session.delete(f"{line.workspace.url}/faults")


def notices(view: View, *words: str) -> list[View]:
    """The messages of the bot to this person that have all of these words."""
    return [m for m in cards(view) if newest([m], words)]


async def test_cards_that_do_not_reach_an_operator_go_to_the_next(line: Line) -> None:
    """Seven cards whose operator is gone reach the other; an admin is told once, over a restart too, which goes on."""
    chat = "operators: [U0OPS, U0ADMIN]"
    async with line.bot(chat=chat, more="admins: [U0ADMIN]"):
        for about in ("U0OPS", "D0OPS"):
            await fault(line, kind="refused", error="user_disabled", about=about, times=1_000)
        await asyncio.gather(*(line.ana.say(f"{QUESTION} Case {number}.") for number in range(7)))
        shown = await line.ada.sees(lambda view: len(found := notices(view, '"approve"')) == 7 and found)
        assert newest(shown, ("*Handed over* to <@U0ADMIN>", "<@U0OPS>"))
        told = await line.ada.card("<@U0OPS> cannot be given questions any more", "user_disabled", "operators")
        status = await line.ada.command("status")
        assert "<@U0OPS> cannot be given questions" in status
    async with line.bot(chat=chat, more="admins: [U0ADMIN]"):
        await line.ada.press("approve", shown[0])
        await line.ada.card("The reply is posted.")
        assert [m["ts"] for m in notices(await line.ada.now(), "cannot be given questions")] == [told["ts"]]
        await mended(line)
