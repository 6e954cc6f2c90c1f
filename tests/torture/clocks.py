"""The machine's clock is set, on or back, while something waits for a time that is in the document."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal, get_args

from tests.line.human import Human
from tests.torture.invariants import Tally, examine
from tests.torture.lane import Lane, lane
from tests.torture.nursery import Nursery
from tests.torture.people import QUESTION, Acked, Operator

HOUR, DAY = 3600.0, 86_400.0
SETS = {
    "an hour on": (HOUR,),
    "an hour back": (-HOUR,),
    "an hour on and back": (HOUR, -HOUR),
    "a day on": (DAY,),
    "a day back": (-DAY,),
    "a day on and back": (DAY, -DAY),
}
Moment = Literal["a question collects", "a draft pends", "a post is in doubt", "a card is in doubt", "nobody has asked"]
MOMENTS: tuple[Moment, ...] = get_args(Moment)
SLOW = 1.0
"""Seconds of the window and of the settling time here, so that there is time to set the clock."""


async def clock_set(nursery: Nursery, moment: Moment, how: str, *, killed: bool) -> Tally:
    """The clock is set at this moment, and what is asked is answered within minutes all the same."""
    acked = Acked()
    async with lane(nursery) as made:
        made.settling = SLOW
        if moment == "a question collects":
            made.config.write_text(made.config.read_text().replace("debounce_ms: 0", f"debounce_ms: {SLOW * 1000:g}"))
        if moment in ("a card is in doubt", "nobody has asked"):
            await made.fault(kind="timeout_after_accept", method="chat.postMessage", times=1, seconds=0.1)
        made.start()
        if moment == "nobody has asked":
            await _set(made, how, killed=killed)
        asked = await Human(made.workspace.url, "U0ANA").say(QUESTION)
        operator = Operator(made, asked, acked, edits=False)
        async with _reached(made, moment, operator):
            if moment != "nobody has asked":
                await _set(made, how, killed=killed)
        async with made.clock.run(10):
            finished = await operator.decide()
            finished = finished and await made.ended_in_peace()
        name = f"{how} while {moment}{', then killed' if killed else ''}"
        return await examine(made, acked, rounds={asked: 1}, name=name, finished=finished)


async def _set(made: Lane, how: str, *, killed: bool) -> None:
    for seconds in SETS[how]:
        made.clock.set(seconds)
        await asyncio.sleep(0.15)
    if killed and made.bot:
        made.bot.kill()
        await made.bot.ended


@asynccontextmanager
async def _reached(made: Lane, moment: Moment, operator: Operator) -> AsyncIterator[None]:
    """Get there; what has to be done meanwhile goes on until the end."""
    match moment:
        case "a question collects":
            assert await made.sees(lambda thread: thread.status == "collecting")
            yield
        case "nobody has asked":
            yield
        case "a draft pends":
            await Human(made.workspace.url, "U0OPS").card('"approve"')
            yield
        case "a card is in doubt":
            await Human(made.workspace.url, "U0OPS").card(QUESTION)
            yield
        case "a post is in doubt":
            await Human(made.workspace.url, "U0OPS").card('"approve"')
            await made.fault(kind="timeout_after_accept", method="chat.postMessage", times=1, seconds=0.1)
            deciding = asyncio.create_task(operator.decide())
            assert await made.sees(lambda thread: thread.status == "approved" and thread.due_at is not None)
            yield
            deciding.cancel()
            await asyncio.gather(deciding, return_exceptions=True)
