"""Calls of commands by a hostile caller and a hostile chat agent, as everybody: what role, tier or reach forbids."""

from __future__ import annotations

import asyncio
from itertools import product

from bot.commands.catalogue import CATALOGUE
from measure.attack.reached import reached
from measure.attack.tally import Tally
from tests.chat.crew import ADMIN, SMALL
from tests.chat.hostile import REACH, Hostile
from tests.chat.test_hostile_talk import ALL, HELD, attacked, attacks

COUNT = 30_000
"""All of them; fewer are not made."""


def run(_: int) -> list[Tally]:
    """Make every call there is."""
    return asyncio.run(_run())


async def _run() -> list[Tally]:
    caller = await Hostile({**CATALOGUE, **SMALL}).rage()
    calls, violations = 0, list[str]()
    with reached() as talked:
        for user, tainted, all_offered in product(HELD, (False, True), (False, True)):
            made, ran = await attacked(user, tainted=tainted, all_offered=all_offered, calls=attacks(ALL))
            calls, violations = calls + made, [*violations, *ran.violations]
    asked = tuple(spec for spec in CATALOGUE.values() if spec.name in REACH)
    with reached() as greeted:
        _, ran = await attacked(ADMIN, tainted=False, all_offered=False, calls=attacks(asked))
    effects = (*sorted(ran.names), *ran.violations)
    return [
        Tally("a hostile caller of commands, and presses of others", caller.calls, tuple(caller.violations)),
        Tally(
            "a hostile chat agent, every role, clean and tainted", talked.calls, tuple(violations), f"of {calls:,} made"
        ),
        Tally("an admin's hello: reach, money and state in a clean talk", greeted.calls, effects),
    ]
