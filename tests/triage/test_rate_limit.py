"""Floods: what is over waits on disk for its turn, in the order of asking, and holds up nobody else."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from blocks.card import build_card
from bot.decide.admission import Quotas, Rate
from bot.models.effect import Investigate
from bot.models.thread import Thread
from bot.models.thread_event import Dismiss, MessageAdded
from bot.triage.rate_limit import RateLimiter
from bot.triage.sweeper import sweep
from tests.builders import OPERATOR, added, fresh
from tests.fakes import HandClock, MemoryStore, settle
from tests.fakes import orchestrator as build_orchestrator

QUOTAS = Quotas(
    user=Rate(per_minute=30, burst=5), channel=Rate(per_minute=60, burst=20), workspace=Rate(per_minute=90, burst=30)
)
PLENTY = Rate(per_minute=10_000, burst=10_000)


class Team:
    """An orchestrator with real buckets and a real sweeper; an investigation ends as soon as it starts."""

    def __init__(
        self, quotas: Quotas = QUOTAS, store: MemoryStore | None = None, clock: HandClock | None = None
    ) -> None:
        self.store, self.clock = store or MemoryStore(), clock or HandClock()
        self.started: list[str] = []
        self.cards: dict[str, str] = {}
        self.told: list[str] = []
        self.orchestrator = build_orchestrator(
            self.store, run=self._run, draw=self._redraw, tell=self._tell, rate_limiter=RateLimiter(quotas)
        )
        self.sweeper = asyncio.create_task(sweep(self.orchestrator, self.clock))

    async def _run(self, thread: Thread, effect: Any) -> None:
        assert isinstance(effect, Investigate)
        self.started.append(thread.thread_id)

    async def _tell(self, text: str) -> None:
        self.told.append(text)

    def _redraw(self, thread: Thread, *, look_up: bool = False) -> None:
        self.cards[thread.thread_id] = str(build_card(thread, link="https://sandbox.slack.com/archives/C0HELP/p1"))

    async def asks(self, count: int, *, sender: str = "U0ANA", first: int = 1, **changes: Any) -> list[str]:
        """So many questions of one person at the same time; the answer is their threads."""
        at = (self.clock.now() - HandClock().now()).total_seconds()
        messages: list[MessageAdded] = [
            added(f"question {n}?", ts=f"{10_000 + first + n}.000001", sender=sender, seconds=at, **changes)
            for n in range(count)
        ]
        await asyncio.gather(*(self.orchestrator.submit(m.message.home, m) for m in messages))
        await settle()
        return [m.message.home for m in messages]

    async def passes(self, seconds: int) -> None:
        """Time passes second by second."""
        for _ in range(seconds):
            await self.clock.move(1)
            await settle(200)

    async def stop(self) -> None:
        """The process ends."""
        self.sweeper.cancel()
        await self.orchestrator.stop()


async def test_two_hundred_questions_of_one_person_are_all_taken_in_their_order() -> None:
    """None is lost, none is taken twice, cards say that they wait, and nobody else's question is held up."""
    team = Team()
    flood = await team.asks(200)
    await team.passes(2)
    assert team.started == flood[:5]
    assert "194 questions of <@U0ANA> ahead of it" in team.cards[flood[-1]]
    assert "no other question of <@U0ANA> ahead of it" in team.cards[flood[5]]
    assert team.orchestrator.open_threads.waiting == 195
    assert [text.split(" wait")[0] for text in team.told] == ["One question", "10 questions", "100 questions"]
    (other,) = await team.asks(1, sender="U0BEN", first=1_000)
    await team.passes(2)
    assert other in team.started
    await team.passes(400)
    assert [thread_id for thread_id in team.started if thread_id != other] == flood
    assert team.orchestrator.open_threads.waiting == 0
    assert {thread.status for thread in team.store.saved.values()} == {"investigating"}
    await team.stop()


async def test_a_restart_in_a_flood_loses_no_question_and_no_place() -> None:
    """The documents say whose turn is when; a new question stands behind them."""
    before = Team()
    flood = await before.asks(40)
    await before.passes(10)
    await before.stop()
    after = Team(store=before.store, clock=before.clock)
    await after.orchestrator.start()
    (late,) = await after.asks(1, first=1_000)
    await after.passes(100)
    again = [thread_id for thread_id in after.started if thread_id not in before.started]
    assert [*before.started, *again] == [*flood, late]
    await after.stop()


@pytest.mark.parametrize("level", ["channel", "workspace"])
async def test_many_people_at_once_are_taken_in_the_order_of_their_questions(level: str) -> None:
    """A channel's line, and the line of all, are as fair as one person's."""
    tight = Rate(per_minute=60, burst=3)
    team = Team(Quotas(**{"user": PLENTY, "channel": PLENTY, "workspace": PLENTY, level: tight}))
    asked = [(await team.asks(1, sender=f"U0P{n:02}", first=n))[0] for n in range(1, 31)]
    await team.passes(2)
    assert team.started == asked[:3]
    where = " in <#C0HELP>" if level == "channel" else ""
    assert f"26 questions{where} ahead of it" in team.cards[asked[-1]]
    await team.passes(30)
    assert team.started == asked
    await team.stop()


async def test_a_flooding_person_takes_no_place_in_the_channels_line_in_advance() -> None:
    """Ten others in the same channel go immediately, though a hundred questions were asked before theirs."""
    team = Team()
    await team.asks(100)
    others = [(await team.asks(1, sender=f"U0P{n:02}", first=500 + n))[0] for n in range(10)]
    await team.passes(2)
    assert set(others) <= set(team.started)
    await team.stop()


async def test_no_window_of_a_minute_takes_more_than_the_quota() -> None:
    """Ten people flood at the same time: the channel's burst and rate are kept, and every question is taken once."""
    team = Team()
    for n in range(10):
        await team.asks(20, sender=f"U0P{n:02}", first=n * 100)
    counts = []
    for _ in range(300):
        before = len(team.started)
        await team.passes(1)
        counts.append(len(team.started) - before)
    assert max(sum(counts[n : n + 60]) for n in range(240)) <= 60 + 20
    assert Counter(team.started) == Counter(dict.fromkeys(team.store.saved, 1))
    assert len(team.started) == 200
    await team.stop()


async def test_what_is_dismissed_while_it_waits_is_not_investigated() -> None:
    """The operator ends a flood by hand."""
    team = Team()
    flood = await team.asks(10)
    await team.passes(2)
    for thread_id in flood[5:]:
        nonce = team.store.saved[thread_id].card.nonce
        said = Dismiss(at=team.clock.now(), fresh=fresh(), by=OPERATOR, draft_id=f"{thread_id}/0", nonce=nonce)
        assert (await team.orchestrator.submit(thread_id, said)).accepted
    await team.passes(30)
    assert team.started == flood[:5]
    assert team.orchestrator.open_threads.waiting == 0
    await team.stop()
