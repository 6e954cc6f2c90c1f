"""What Slack's side may do: deliver late, twice and in no order, refuse, break off, and accept without saying so."""

from __future__ import annotations

import random
from itertools import pairwise

from tests.line.human import Human
from tests.torture.faults import Order, When
from tests.torture.invariants import Tally, examine
from tests.torture.lane import Lane, lane
from tests.torture.load import Disturbance, nothing, under_load
from tests.torture.nursery import Nursery
from tests.torture.people import QUESTION, Acked, Operator
from tests.torture.points import full_line

METHODS = (
    "chat.postMessage",
    "chat.update",
    "chat.getPermalink",
    "conversations.open",
    "conversations.replies",
    "conversations.history",
    "users.info",
    "views.open",
)
KINDS = ("429", "500", "503", "timeout_after_accept")
DOWN_HOURS = (2.0, 24.0)
LATE = (300.0, 3600.0, 86_400.0)
"""Seconds by which a delivery is late: five minutes, an hour, a day."""
FAST = 10
"""How fast time passes for a bot that has to wait until it may try again."""


async def badly_delivered(nursery: Nursery, seed: int, disturb: Disturbance = nothing) -> Tally:
    """Each event one to four times, in no order; `disturb` may kill the bot as well."""

    def shuffle(made: Lane, chance: random.Random) -> None:
        made.workspace.chance = chance

    return await under_load(nursery, seed, disturb, name="one to four deliveries, shuffled", prepare=shuffle)


async def late(nursery: Nursery, seed: int, disturb: Disturbance = nothing) -> Tally:
    """The same, and any delivery may be late by minutes, an hour or a day; `disturb` may kill the bot as well."""

    def shuffle(made: Lane, chance: random.Random) -> None:
        made.workspace.chance, made.workspace.later = chance, LATE

    async def time_passes(made: Lane, _: random.Random) -> None:
        for before, seconds in pairwise((0.0, *LATE)):
            await made.delivered()
            await made.passes(seconds - before)
            made.workspace.release(seconds)
        await made.delivered()

    return await under_load(nursery, seed, disturb, name="deliveries late", prepare=shuffle, then=time_passes)


async def refused(nursery: Nursery, method: str, kind: str, times: int) -> Tally:
    """Some calls of one method fail; the operator is asked where a reply is in doubt."""
    async with lane(nursery) as made:
        seconds = {"seconds": 0.1} if kind == "timeout_after_accept" else {}
        await made.fault(method=method, kind=kind, times=times, **seconds)
        async with made.clock.run(FAST):
            return await full_line(made, name=f"{kind} on {method}, {times} times")


async def reset(nursery: Nursery, method: str, when: When, nth: int) -> Tally:
    """The connection is reset before a call is sent, or after it was accepted."""
    async with lane(nursery) as made:
        order = Order("fail", at=f"slack.call {method}", when=when, nth=nth, error="ECONNRESET")
        async with made.clock.run(FAST):
            return await full_line(made, [order], name=f"reset {when} {method} #{nth}")


async def away(nursery: Nursery, hours: float) -> Tally:
    """The bot is away while people ask; Slack has given the events up when it comes back."""
    acked = Acked()
    async with lane(nursery) as made:
        ana = Human(made.workspace.url, "U0ANA")
        made.start()
        first = await ana.say(QUESTION)
        finished = await Operator(made, first, acked).decide()
        finished = finished and await made.settled()
        await made.stop()
        second = await ana.say("how is an order cancelled?")
        await made.passes(hours * 3600)
        made.start()
        finished = finished and await Operator(made, second, acked).decide() and await made.ended_in_peace(2)
        name = f"away for {hours:g} hours"
        return await examine(made, acked, rounds={first: 1, second: 1}, name=name, finished=finished)
