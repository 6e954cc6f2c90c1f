"""A few runs of the torture of fixes (`python -m measure.fixes` has all of them)."""

from __future__ import annotations

import asyncio
from itertools import islice

import pytest

from tests.torture.faults import Order
from tests.torture.fixes import Scenario, draw_scenarios, list_passages, play

SEED = 39


async def test_a_fix_is_neither_lost_nor_opened_twice() -> None:
    """Four bots die one after another: once the branch is pushed, the draft opened, the message posted."""
    orders = [[Order("kill", at=at, nth=1, when="after")] for at in ("slack.post", "fixes.push", "fixes.open")]
    outcome = await play(Scenario("each step", orders))
    assert (outcome.lives, outcome.faults) == (4, [])


@pytest.mark.long
async def test_a_fix_survives_kills_at_random() -> None:
    """At any operation."""
    scenarios = [*islice(draw_scenarios(await list_passages(), SEED), 6)]
    outcomes = await asyncio.gather(*(play(each) for each in scenarios))
    found = {each.name: outcome.faults for each, outcome in zip(scenarios, outcomes, strict=True)}
    assert {name: faults for name, faults in found.items() if faults} == {}
