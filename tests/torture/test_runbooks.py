"""A few runs of the torture of runbooks (`python -m measure.runbooks` has all of them)."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.torture.runbooks import Scenario, list_passages, list_scenarios, play

SEED = 39
KINDS = ("bot killed", "process killed", "random")
"""First words of the names of all scenarios but those of a failing disk."""


@pytest.mark.parametrize("is_suite", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_a_press_is_neither_lost_nor_run_twice(is_suite: bool) -> None:
    """Kills of bot, process and program at their operations and at random, and a failing disk: one of each kind."""
    scenarios = [*list_scenarios(await list_passages(), SEED, 30)]
    chance = random.Random(SEED)  # seeded chance is what a run is repeated by
    by_kind: dict[str, list[Scenario]] = {}
    for each in chance.sample(scenarios, len(scenarios)):
        kind = next((kind for kind in KINDS if each.name.startswith(kind)), "failing disk")
        by_kind.setdefault(kind, []).append(each)
    assert len(by_kind) == len(KINDS) + 1
    chosen = [each for kind in by_kind.values() for each in (kind[:1] if is_suite else kind[1:4])]
    outcomes = await asyncio.gather(*(play(each) for each in chosen))
    found = {each.name: outcome.faults for each, outcome in zip(chosen, outcomes, strict=True)}
    assert {name: faults for name, faults in found.items() if faults} == {}
