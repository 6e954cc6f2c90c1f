"""A kill before and after each passage of one full line: question, draft, edit, approve, reply, a press too late."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from tests.line.human import Human
from tests.torture.faults import Order, When
from tests.torture.invariants import Tally, examine
from tests.torture.lane import Lane, lane
from tests.torture.nursery import Nursery
from tests.torture.people import QUESTION, Acked, Operator

TRIES = 3
"""How often a run is made until the ordered kill finds its passage."""


@dataclass(frozen=True)
class Passage:
    """The `nth` time that a line passes one point."""

    at: str
    nth: int


async def passages(nursery: Nursery) -> list[Passage]:
    """Every passage of one undisturbed line, from the bot's start to its end, in order: K of them."""
    async with lane(nursery) as made:
        listing = made.folder / "passages"
        await full_line(made, [Order("list", into=str(listing))])
        seen: Counter[str] = Counter()
        found = []
        for at in listing.read_text().splitlines():
            seen[at] += 1
            found.append(Passage(at, seen[at]))
        return found


async def killed_at(nursery: Nursery, passage: Passage, when: When, *again: Order) -> Tally:
    """One line with a kill there, and with `again` another one in the recovery."""
    tally = Tally()
    for _ in range(TRIES):
        order = Order("kill", at=passage.at, nth=passage.nth, when=when)
        async with lane(nursery) as made:
            name = f"kill {when} {passage.at} #{passage.nth}{' and in recovery' if again else ''}"
            tally.add(await full_line(made, [order], *([replace(one)] for one in again), name=name))
            if made.deaths > len(again):
                break
            if made.deaths:  # this recovery has not so many passages
                again = tuple(replace(one, nth=max(1, (one.nth or 1) // 2)) for one in again)
    else:
        tally.not_reached = 1
    tally.runs = 1
    return tally


async def full_line(made: Lane, *starts: list[Order], name: str = "") -> Tally:
    """Question, draft, edit, approve, reply, and an end in peace; then look."""
    acked = Acked()
    made.start(*starts)
    asked = await Human(made.workspace.url, "U0ANA").say(QUESTION)
    operator = Operator(made, asked, acked)
    finished = await operator.decide() and await operator.press_late() and await made.ended_in_peace()
    return await examine(made, acked, rounds={asked: 1}, name=name, finished=finished)
