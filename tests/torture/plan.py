"""The plan: which scenarios there are, how many runs of each, and several of them at a time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.torture import clocks, disk, escalations, outages, presses, slack_side
from tests.torture.faults import Order, When
from tests.torture.invariants import Tally
from tests.torture.load import Disturbance, disconnects, kills, under_load
from tests.torture.nursery import Nursery
from tests.torture.points import Passage, killed_at

KILLS_A_RUN = 2
STORM = 100
"""Disconnects on one bot; they come four times as fast as a hundred in a minute would."""
SHORT = {
    "kill at each point": 6,
    "clock set": 2,
    "kill in recovery": 2,
    "disk full, read-only, I/O error": 2,
    "presses": 2,
}
"""How many runs of a scenario the short plan has, where it is not one."""

WHENS: tuple[When, ...] = ("before", "after")


@dataclass(frozen=True)
class Run:
    """One run: the scenario that it counts for, a name that repeats it, and how to do it."""

    scenario: str
    name: str
    do: Callable[[], Awaitable[Tally]]


@dataclass(frozen=True)
class Plan:
    """Makes the runs. `seed` starts all chance; `kills_at_random` is how many kills come at random times."""

    nursery: Nursery
    seed: int
    kills_at_random: int
    passages: list[Passage]
    long_runs: dict[str, list[Passage]]
    """Passages of a question that takes long runs: by the bot, and by the process of each tier."""

    def runs(self, *, short: bool = False) -> Iterator[Run]:
        """All runs; `short` takes a few of each scenario, as the test suite does."""
        found = [
            *self._load(),
            *self._outages(),
            *self._clocks(),
            *self._slack(),
            *self._presses(),
            *self._disk(),
            *self._points(),
            *self._escalations(),
        ]
        if not short:
            yield from found
            return
        chance = random.Random(self.seed)  # seeded chance is what a run is repeated by
        for scenario in dict.fromkeys(run.scenario for run in found):
            mine = [run for run in found if run.scenario == scenario]
            yield from chance.sample(mine, min(len(mine), SHORT.get(scenario, 1)))

    def _points(self) -> Iterable[Run]:
        for number, passage in enumerate(self.passages):
            for when in WHENS:
                yield self._point(passage, when)
            again = Order("kill", nth=1 + (self.seed + number * 7) % 60)
            yield self._point(passage, "after", again)

    def _point(self, passage: Passage, when: When, *again: Order) -> Run:
        async def do() -> Tally:
            return await killed_at(self.nursery, passage, when, *again)

        scenario = "kill in recovery" if again else "kill at each point"
        return Run(scenario, f"{scenario}: {when} {passage.at} #{passage.nth}", do)

    def _load(self) -> Iterable[Run]:
        for number in range(5):
            yield self._loaded("100 disconnects in a minute", number, disconnects(STORM, 0.15), threads=8, spread=2.5)
        for number in range(self.kills_at_random // KILLS_A_RUN):
            yield self._loaded("kill at random under load", number, kills(KILLS_A_RUN))
        for number in range(10):
            yield self._loaded("10 disconnects in a second", number, disconnects(10, 0.1))
        for number in range(20):
            yield self._run(
                "deliveries 1 to 4 times, shuffled",
                str(number),
                lambda number=number: slack_side.badly_delivered(self.nursery, self.seed + number),  # type: ignore[misc]  # bound now
            )

        for number in range(20):
            yield self._run(
                "late by 5 minutes, an hour, a day",
                str(number),
                lambda number=number: slack_side.late(self.nursery, self.seed + number, kills(number % 2)),  # type: ignore[misc]  # bound now
            )

        for number in range(20):
            yield self._run(
                "shuffled, killed as well",
                str(number),
                lambda number=number: slack_side.badly_delivered(self.nursery, self.seed + number, kills(3)),  # type: ignore[misc]  # bound now
            )

    def _loaded(self, scenario: str, number: int, disturb: Disturbance, **how: Any) -> Run:
        seed = self.seed + number
        return self._run(scenario, str(number), lambda: under_load(self.nursery, seed, disturb, name=scenario, **how))

    def _run(self, scenario: str, name: str, do: Callable[[], Awaitable[Tally]]) -> Run:
        return Run(scenario, f"{scenario}: {name}", do)

    def _slack(self) -> Iterable[Run]:
        nursery = self.nursery
        for method in slack_side.METHODS:
            for kind in slack_side.KINDS:
                for times in (1, 2):
                    yield self._run(
                        "429, 500, 503, timeout after accept",
                        f"{method} {kind} {times}",
                        lambda m=method, k=kind, t=times: slack_side.refused(nursery, m, k, t),  # type: ignore[misc]  # bound now
                    )
            for when in WHENS:
                for nth in (1, 2):
                    yield self._run(
                        "connection reset",
                        f"{method} {when} {nth}",
                        lambda m=method, w=when, n=nth: slack_side.reset(nursery, m, w, n),  # type: ignore[misc]  # bound now
                    )
        for hours in slack_side.DOWN_HOURS:
            yield self._run("bot away", f"{hours:g} hours", lambda h=hours: slack_side.away(nursery, h))  # type: ignore[misc]  # bound now

    def _outages(self) -> Iterable[Run]:
        for lasts in outages.LASTS:
            for how in outages.HOWS:
                for restarted in (False, True):
                    yield self._run(
                        "Slack down",
                        f"{lasts} {how}{' restarted' if restarted else ''}",
                        lambda h=how, n=lasts, r=restarted: outages.down(self.nursery, h, n, restarted=r),  # type: ignore[misc]  # bound now
                    )

    def _clocks(self) -> Iterable[Run]:
        for moment in clocks.MOMENTS:
            for how in clocks.SETS:
                for killed in (False, True):
                    yield self._run(
                        "clock set",
                        f"{how} while {moment}{' killed' if killed else ''}",
                        lambda m=moment, h=how, k=killed: clocks.clock_set(self.nursery, m, h, killed=k),  # type: ignore[misc]  # bound now
                    )

    def _presses(self) -> Iterable[Run]:
        for scene in presses.SCENES:
            for number in range(3):
                yield self._run("presses", f"{scene} {number}", lambda s=scene: presses.pressed(self.nursery, s))  # type: ignore[misc]  # bound now

    def _disk(self) -> Iterable[Run]:
        for at, errors in disk.POINTS.items():
            for error in errors:
                for nth in (1, 2, 3, 5, 8):
                    yield self._run(
                        "disk full, read-only, I/O error",
                        f"{at} {error} {nth}",
                        lambda a=at, e=error, n=nth: disk.failing(self.nursery, a, e, n),  # type: ignore[misc]  # bound now
                    )
        for damage in disk.DAMAGES:
            for number in range(6):
                yield self._run(
                    "damaged files",
                    f"{damage} {number}",
                    lambda d=damage, n=number: disk.damaged(self.nursery, d, self.seed + n),  # type: ignore[misc]  # bound now
                )

    def _escalations(self) -> Iterable[Run]:
        kills = self.kills_at_random // 25
        for scenario, name, do in escalations.list_runs(self.nursery, self.seed, kills, self.long_runs):
            yield self._run(scenario, name, do)


async def carry_out(runs: Iterable[Run], *, at_once: int, report: Callable[[Run, Tally], None]) -> dict[str, Tally]:
    """Do the runs, so many at a time; the answer is what each scenario came to."""
    waiting = iter(runs)
    tallies: dict[str, Tally] = {}

    async def work() -> None:
        for run in waiting:
            tally = await _done(run)
            tallies.setdefault(run.scenario, Tally()).add(tally)
            report(run, tally)

    await asyncio.gather(*(work() for _ in range(at_once)))
    return tallies


async def _done(run: Run) -> Tally:
    try:
        return await run.do()
    except Exception as problem:
        return Tally(runs=1, lost_replies=1, notes=[f"{run.name}: the run broke: {type(problem).__name__}: {problem}"])
