"""Plan of a drill: cases of each class, seeded and mixed, so that a partial drill has some of each."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from bot.decide.drill.faults import FAULTS
from bot.decide.drill.sound import sound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.decide.drill import Case, CodeFact

SOUND_PER_FAULT = 3
"""Number of sound cases per faulty case of a class: refusing true drafts costs people most."""
VALUES = 0.6
"""Share of cases about a value, since definitions are far more frequent in code."""
FEWEST_FACTS = 8
"""Minimum of facts; with fewer, all cases would be about the same ones."""


def plan(facts: Sequence[CodeFact], *, cases: int, seed: int) -> list[Case]:
    """Return `cases` cases of each class and three times as many sound ones. Equal arguments give equal cases."""
    rng = Random(seed)  # noqa: S311  # seeded chance is what is wanted
    planned: list[Case] = []
    for number in range(cases):
        planned += [_sound(facts, rng) for _ in range(SOUND_PER_FAULT)]
        for name, fault in FAULTS.items():
            case = _sound(facts, rng)
            planned.append(replace(fault.seed(case, _choose_other(facts, case.fact, rng), rng), kind=name))
        block = planned[number * (SOUND_PER_FAULT + len(FAULTS)) :]
        rng.shuffle(block)
        planned[-len(block) :] = block
    return planned


def _sound(facts: Sequence[CodeFact], rng: Random) -> Case:
    values = [fact for fact in facts if fact.value]
    fact = rng.choice(values if values and rng.random() < VALUES else facts)
    return sound(fact, _choose_other(facts, fact, rng), rng)


def _choose_other(facts: Sequence[CodeFact], fact: CodeFact, rng: Random) -> CodeFact:
    return rng.choice([other for other in facts if other.path != fact.path] or [o for o in facts if o is not fact])
