"""Notifications: the messages that an operator gets, counted over a script of questions, decisions and restarts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import aiohttp

from tests.line.conftest import TriageTime
from tests.line.human import cards, shows
from tests.line.test_straight_line import QUESTION, calls

if TYPE_CHECKING:
    from tests.line.conftest import Line

OTHER = "how is an order cancelled?"


async def told(line: Line) -> list[str]:
    """What each notification of the operator said, in order."""
    return [call["text"] for call in await calls(line, "chat.postMessage") if call["channel"] == "D0OPS"]


async def test_one_notification_for_each_decision_that_is_asked_for(line: Line) -> None:
    """A draft, another after Redraft, news on it, a reply in doubt, a reminder; nothing for what a press comes to."""
    clock = TriageTime()
    async with line.bot(clock=clock):
        first = await line.ana.say(QUESTION)
        await line.olu.press("edit", await line.olu.card(QUESTION, '"approve"'))
        assert (await line.olu.submit(await line.olu.dialog(), text="Three times, see `orders.py:3`."))["ok"]
        edited = await line.olu.card("Three times, see", "not validated again", '"approve"')
        assert len(await told(line)) == 1
        await line.ana.say("it is about a payment", thread_ts=first)
        stale = await line.olu.card("it is about a payment", '"post_anyway"')
        assert stale["ts"] != edited["ts"]
        await line.ana.say("tried again, I mean", thread_ts=first)
        await line.olu.card("tried again, I mean", '"post_anyway"')
        assert len(await told(line)) == 2
        await line.olu.press("redraft", await line.olu.card("tried again, I mean", '"redraft"'))
        second = await line.olu.card(QUESTION, "/3 ", '"approve"')
        assert len(await told(line)) == 3
        assert [card["ts"] for card in cards(await line.olu.now())] == [second["ts"]]
        clock.move(hours=1.1)
        await line.olu.sees(lambda view: [card for card in cards(view) if "1 question waits" in card["text"]])
        assert len(await told(line)) == 4
    async with line.bot(clock=clock) as bot:  # a restart notifies of nothing
        bot.delivery.search_delay_seconds = 0.2
        await line.olu.dismiss(await line.olu.card(QUESTION, "/3 ", '"approve"'))
        await line.olu.card("Dismissed")
        asked = await line.ana.say(OTHER)
        card = await line.olu.card(OTHER, '"approve"')
        fault = {"method": "chat.postMessage", "kind": "500", "times": 2}
        async with (
            aiohttp.ClientSession() as session,
            session.post(f"{line.workspace.url}/faults", json=fault) as answer,
        ):
            assert (await answer.json())["ok"]
        await line.olu.press("approve", card)
        clock.move(hours=0.01)
        doubt = await line.olu.card("In doubt", "Post Again")
        await line.olu.press("post_again", doubt)
        await line.ana.replies(asked)
        await line.olu.sees(lambda view: not [card for card in cards(view) if shows(card, "Post Again")])
    said = await told(line)
    asks = (
        "Draft ready: 1 of 1 reference open, medium.",
        "Look again: New in the thread since this draft was made: it is about a payment.",
        "New draft ready: 1 of 1 reference open, medium.",
        "it is about a payment tried again, I mean.",
        "Draft ready: 1 of 1 reference open, medium.",
        "The reply may not have been posted; please look.",
    )
    assert [text.endswith(ends) for text, ends in zip(said, asks, strict=True)] == [True] * 6
    assert all(text.startswith("Ana in #help-platform: how ") for text in said if "waits for" not in text)
    assert said[3].startswith("1 question waits for your decision. Ana in #help-platform: how often")
