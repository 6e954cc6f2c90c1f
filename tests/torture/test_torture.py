"""A few runs of each scenario of `make torture`; and that the torture would see what it is looking for.

A kill anywhere between the end of one card and its successor leaves one live card, and one notification a decision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator

import aiohttp
import pytest
import pytest_asyncio

from tests.line.human import Human, cards, shows
from tests.torture.faults import Order, When
from tests.torture.invariants import examine
from tests.torture.lane import Lane, lane
from tests.torture.nursery import Nursery, nursery
from tests.torture.people import QUESTION, Acked, Operator
from tests.torture.plan import Plan, carry_out
from tests.torture.points import passages

SEED = 20
SUITE = {
    "kill at each point": 1,
    "kill in recovery": 1,
    "shuffled, killed as well": 1,
    "disk full, read-only, I/O error": 1,
    "presses": 1,
}
"""How many runs of which scenarios of the short plan every run of the suite has; `make test-long` has the others."""


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bots() -> AsyncIterator[Nursery]:
    """Where bots are started; each is a separate process."""
    async with nursery() as made:
        yield made


@pytest.mark.parametrize("is_suite", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_nothing_is_lost_and_nothing_happens_twice(bots: Nursery, is_suite: bool) -> None:
    """Kills at points and at random, bad deliveries, refusals, outages, clocks, wrong presses, a failing disk."""
    plan = Plan(bots, SEED, 20, await passages(bots), {})
    left, runs = Counter(SUITE), []
    for run in plan.runs(short=True):
        if (left[run.scenario] > 0) is is_suite:
            runs.append(run)
        left[run.scenario] -= 1
    tallies = await carry_out(runs, at_once=8, report=lambda run, tally: None)
    assert [note for tally in tallies.values() for note in tally.notes] == []
    assert len(runs) == (sum(SUITE.values()) if is_suite else 20)
    assert len(tallies) == len({run.scenario for run in runs})


async def test_the_torture_sees_a_loss(bots: Nursery) -> None:
    """Records, replies and presses that are taken away after a run are missed, and doubled ones are counted."""
    acked = Acked()
    async with lane(bots) as made:
        made.start()
        asked = await Human(made.workspace.url, "U0ANA").say(QUESTION)
        finished = await Operator(made, asked, acked).decide() and await made.ended_in_peace()
        sound = await examine(made, acked, rounds={asked: 1}, name="sound", finished=finished)
        for name in ("events", "replies", "audit"):
            for part in made.home.glob(f"{name}.*"):
                part.unlink()
        (state,) = (made.home / "state").glob("*.json")
        state.write_text("{")
        broken = await examine(made, acked, rounds={asked: 1, "1.1": 1}, name="broken", finished=True)
    assert sound.notes == []
    assert acked.presses
    lost = (1, len(acked.presses), 2, 1)  # a slow machine acknowledges fewer of the three presses in time
    assert (broken.lost_events, broken.lost_presses, broken.lost_replies, broken.unreadable) == lost


@pytest.mark.long  # the kill between two cards is such an order
async def test_an_order_is_carried_out(bots: Nursery) -> None:
    """The bot dies where it was told to, and is started again."""
    async with lane(bots) as made:
        made.start([Order("kill", at="journal.sync events.ndjson")])
        asked = await Human(made.workspace.url, "U0ANA").say(QUESTION)
        assert await Operator(made, asked, Acked()).decide()
        await made.stop()
        assert made.deaths == 1


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
        pytest.param("slack.call chat.delete", "after", 1, marks=pytest.mark.long),
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
