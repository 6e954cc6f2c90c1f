"""A kill anywhere between the end of one card and its successor: one live card, and one notification a decision."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest
import pytest_asyncio

from tests.line.human import Human, cards, shows
from tests.torture.faults import Order, When
from tests.torture.lane import Lane, lane
from tests.torture.nursery import Nursery, nursery
from tests.torture.people import QUESTION

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bots() -> AsyncIterator[Nursery]:
    """Where bots are started; each is a process of its own."""
    async with nursery() as made:
        yield made


async def posted(made: Lane) -> int:
    """How many messages the operator was notified of."""
    async with aiohttp.ClientSession() as session, session.get(f"{made.workspace.url}/calls") as answer:
        seen = (await answer.json())["calls"]
    return sum(c["method"] == "chat.postMessage" and c["arguments"]["channel"] == "D0OPS" for c in seen)


@pytest.mark.parametrize(
    ("at", "when", "nth"),
    [
        pytest.param("slack.call chat.postMessage", "after", 1, marks=pytest.mark.long),
        pytest.param("slack.call chat.delete", "before", 1, marks=pytest.mark.long),
        ("slack.call chat.delete", "after", 1),
        pytest.param("slack.call chat.postMessage", "before", 2, marks=pytest.mark.long),
        ("slack.call chat.postMessage", "after", 2),
    ],
)
async def test_a_kill_between_two_cards_leaves_one_and_notifies_once(
    bots: Nursery, at: str, when: When, nth: int
) -> None:
    """The draft is one decision, the news on it another; two messages were posted, and the second one stands."""
    async with lane(bots) as made:
        made.start([Order("kill", at=at, when=when, nth=nth)])
        ana, olu = Human(made.workspace.url, "U0ANA"), Human(made.workspace.url, "U0OPS")
        asked = await ana.say(QUESTION)
        await olu.card(QUESTION, '"approve"')
        await ana.say("it is about a refund", thread_ts=asked)
        card = await olu.card("Look again", '"post_anyway"')
        assert await made.sees(lambda thread: thread.status == "pending-user" and not thread.is_behind)
        assert made.deaths == 1
        assert [one["ts"] for one in cards(await olu.now())] == [card["ts"]]
        assert await posted(made) == 2
        await olu.press("post_anyway", card)
        await ana.replies(asked)
        assert await made.settled()
        assert await posted(made) == 2
        (settled,) = cards(await olu.now())
        assert not shows(settled, '"post_anyway"')
        await made.stop()
