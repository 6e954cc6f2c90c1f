"""Several threads of several people at the same time, and whatever a scenario does to the bot meanwhile."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from tests.line.human import Human
from tests.torture.faults import Order
from tests.torture.invariants import Tally, examine
from tests.torture.lane import Lane, lane
from tests.torture.nursery import Nursery
from tests.torture.people import Acked, Operator

ASKERS = ("U0ANA", "U0ADMIN")
QUESTIONS = ("how often is a payment tried again?", "how is an order cancelled?", "when is the money given back?")
CHATTER = ("thanks!", "deployed v3 to staging")
Disturbance = Callable[[Lane, random.Random], Coroutine[Any, Any, None]]


async def under_load(
    nursery: Nursery,
    seed: int,
    disturb: Disturbance,
    *,
    name: str,
    threads: int = 4,
    starts: Sequence[list[Order]] = (),
    spread: float = 0.0,
    prepare: Callable[[Lane, random.Random], None] = lambda lane, chance: None,
    then: Disturbance | None = None,
) -> Tally:
    """Threads with follow-ups and chatter between them, decided as they come, while `disturb` goes on.

    `spread` is how many seconds lie between two questions at most; when all are asked comes what `then` does.
    """
    chance = random.Random(seed)  # seeded chance is what a run is repeated by
    acked = Acked()
    async with lane(nursery) as made:
        prepare(made, chance)
        made.start(*starts)
        disturbing = asyncio.create_task(disturb(made, chance))
        roots = []
        for _ in range(threads):
            roots.append(await _ask(made, chance))
            await asyncio.sleep(chance.uniform(0, spread))
        operators = [Operator(made, root, acked, edits=chance.random() < 0.5, stays=True) for root in roots]
        deciding = [asyncio.create_task(operator.decide(still=600)) for operator in operators]
        await disturbing
        if then:
            await then(made, chance)
        finished = await made.settled(len(roots)) and await made.ended_in_peace(len(roots))
        for task in deciding:  # until the very end: an edit that comes late asks something else below the reply
            task.cancel()
        await asyncio.gather(*deciding, return_exceptions=True)
        return await examine(
            made, acked, rounds=dict.fromkeys(roots, 1), name=f"{name}, seed {seed}", finished=finished
        )


async def _ask(made: Lane, chance: random.Random) -> str:
    asker = Human(made.workspace.url, chance.choice(ASKERS))
    root = await asker.say(chance.choice(QUESTIONS))
    for number in range(chance.choice((0, 0, 1, 3))):
        await asyncio.sleep(chance.uniform(0, 0.05))
        await asker.say(f"it is about a refund, I mean case {number}", thread_ts=root)
    if chance.random() < 0.2:
        await asker.does("edit", ts=root, text=chance.choice(QUESTIONS))
    if chance.random() < 0.3:
        await asker.say(chance.choice(CHATTER))
    await asyncio.sleep(chance.uniform(0, 0.15))
    return root


def kills(count: int) -> Disturbance:
    """Kill the bot `count` times, each a random time after it was started: some before it is ready."""

    async def disturb(made: Lane, chance: random.Random) -> None:
        killed = 0
        while killed < count:
            await asyncio.sleep(chance.uniform(0, 0.6))
            if made.bot and not made.bot.ended.done():
                made.bot.kill()
                await made.bot.ended
                killed += 1

    return disturb


def disconnects(count: int, every: float) -> Disturbance:
    """Close the socket `count` times."""

    async def disturb(made: Lane, _: random.Random) -> None:
        for __ in range(count):
            await made.fault(kind="disconnect")
            await asyncio.sleep(every)

    return disturb


async def nothing(_: Lane, __: random.Random) -> None:
    """Leave it in peace."""
