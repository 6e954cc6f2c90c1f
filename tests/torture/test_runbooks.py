"""A few runs of the torture of runbooks (`python -m measure.runbooks` has all of them)."""

from __future__ import annotations

import asyncio
import random

from tests.torture.runbooks import list_passages, list_scenarios, play

SEED = 39


async def test_a_press_is_neither_lost_nor_run_twice() -> None:
    """Kills of bot, process and program at their operations and at random, and a failing disk."""
    scenarios = [*list_scenarios(await list_passages(), SEED, 30)]
    chosen = random.Random(SEED).sample(scenarios, 8)  # seeded chance is what a run is repeated by
    outcomes = await asyncio.gather(*(play(each) for each in chosen))
    found = {each.name: outcome.faults for each, outcome in zip(chosen, outcomes, strict=True)}
    assert {name: faults for name, faults in found.items() if faults} == {}
