"""Slack is down for a while, by a clock that is moved: the bot keeps trying, catches up, and posts what waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

from tests.line.human import Human
from tests.torture.invariants import Tally, examine
from tests.torture.lane import Lane, lane
from tests.torture.nursery import Nursery
from tests.torture.people import QUESTION, Acked, Operator

How = Literal["refused", "answers 503", "no socket"]
HOWS: tuple[How, ...] = ("refused", "answers 503", "no socket")
LASTS = {"30 s": 30.0, "2 h": 7200.0}
STEPS = 40
HELD_BACK = 20.0
"""Seconds that Slack asks an approved reply to wait, so that it waits when Slack goes down."""


async def down(nursery: Nursery, how: How, lasts: str, *, restarted: bool) -> Tally:
    """A question is asked and an approved reply waits while Slack is down; with `restarted` the bot dies meanwhile."""
    acked = Acked()
    async with lane(nursery) as made:
        ana = Human(made.workspace.url, "U0ANA")
        made.start()
        first = await ana.say(QUESTION)  # from here on the channel's history is caught up with
        finished = await Operator(made, first, acked, edits=False).decide()
        second = await ana.say("how is an order cancelled?")
        await made.sees(lambda thread: thread.root_ts == second and thread.status == "pending-user")
        await Human(made.workspace.url, "U0OPS").card("how is an order cancelled?", '"approve"')
        await made.fault(kind="429", method="chat.postMessage", times=1, seconds=HELD_BACK)
        deciding = asyncio.create_task(Operator(made, second, acked, edits=False).decide(still=120))
        finished = finished and await made.sees(lambda t: t.root_ts == second and t.status == "approved")
        async with _down(made, how):
            third = await ana.say("when is the money given back?")
            if restarted and made.bot:
                made.bot.kill()
                await made.bot.ended
            await made.passes(LASTS[lasts], steps=STEPS)
        async with made.clock.run(5):
            finished = finished and await deciding and await Operator(made, third, acked).decide(still=60)
            finished = finished and await made.ended_in_peace(3)
        name = f"Slack down for {lasts}, {how}{', the bot restarted' if restarted else ''}"
        return await examine(made, acked, rounds={first: 1, second: 1, third: 1}, name=name, finished=finished)


@asynccontextmanager
async def _down(made: Lane, how: How) -> AsyncIterator[None]:
    match how:
        case "refused":
            await made.workspace.shut()
            yield
            await made.workspace.open()
        case "answers 503":
            await made.fault(kind="503", times=1_000_000)
            await made.workspace.refuse_sockets(True)
            yield
            await made.workspace.refuse_sockets(False)
            await made.clear_faults()
        case "no socket":
            await made.workspace.refuse_sockets(True)
            yield
            await made.workspace.refuse_sockets(False)
