"""The line of turns: one at a time, those that may go first before the others, and a turn is never lost."""

from __future__ import annotations

import asyncio

from bot.surfaces.turn_line import TurnLine
from tests.fakes import settle


async def test_who_may_go_first_does_and_who_leaves_hands_the_turn_on() -> None:
    """Asked when a turn ends, of what is true by then; also when a caller is cancelled with the turn in hand."""
    line, went, decided = TurnLine(), list[str](), set[str]()
    gates = {name: asyncio.Event() for name in "abcdef"}

    async def go(name: str) -> None:
        async with line.turn(name, decided.__contains__):
            went.append(name)
            await gates[name].wait()

    tasks = {}
    for name in gates:
        tasks[name] = asyncio.create_task(go(name))
        await settle()
    decided.add("d")
    tasks["b"].cancel()
    gates["a"].set()
    await settle()
    assert went == ["a", "d"]
    gates["d"].set()
    tasks["c"].cancel()
    await settle()
    gates["e"].set()
    gates["f"].set()
    await asyncio.gather(*tasks.values(), return_exceptions=True)
    assert went[-2:] == ["e", "f"]
    async with line.turn("g", decided.__contains__):
        went.append("g")
    assert went[-1] == "g"
