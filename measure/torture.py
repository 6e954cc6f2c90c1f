"""The torture: kills at every point, faults of Slack and of the disk, presses at the wrong moment (`make torture`).

Real processes die by real SIGKILLs, several homes at a time. It prints what each scenario came to and exits 1 when
anything was lost, doubled or out of order. `--resume FILE` keeps what was done, with the seed and the passages that the
plan was made from, so that the same command goes on with the same plan where it was stopped.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import random
import sys
import time
from dataclasses import asdict, astuple
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


from tests.torture import escalations
from tests.torture.invariants import Tally
from tests.torture.nursery import nursery
from tests.torture.plan import Plan, Run, carry_out
from tests.torture.points import Passage, passages

ROOT = Path(__file__).resolve().parent.parent


async def tortured(options: argparse.Namespace) -> dict[str, Tally]:
    """Do what is asked for; the answer is what each scenario came to."""
    kept, done = _read(options.resume)
    async with nursery() as made:
        seed = kept.get("seed", options.seed)
        points = [Passage(*each) for each in kept["passages"]] if kept else await passages(made)
        long_runs = _read_long_runs(kept) if kept else await escalations.passages(made)
        plan = Plan(made, seed, options.kills, points, long_runs)
        chosen = [run for run in plan.runs(short=options.short) if options.only in run.name]
        left = [run for run in chosen if run.name not in done]
        _say(f"K = {len(points)} passages of one full line; seed {seed}; {options.at_once} homes at a time")
        _say(f"and {sum(map(len, long_runs.values()))} passages of its long runs")
        _say(f"N = {len(chosen)} runs, {len(chosen) - len(left)} of them done already")
        if options.resume and not kept:
            listed = {name: [astuple(point) for point in found] for name, found in long_runs.items()}
            _keep(
                options.resume,
                {"seed": seed, "passages": [astuple(point) for point in points], "long_runs": listed},
            )
        tallies: dict[str, Tally] = {}
        for run in chosen:
            if run.name in done:
                tallies.setdefault(run.scenario, Tally()).add(done[run.name])
        for scenario, tally in (await carry_out(left, at_once=options.at_once, report=_reporter(options))).items():
            tallies.setdefault(scenario, Tally()).add(tally)
    return tallies


def _read_long_runs(kept: dict[str, Any]) -> dict[str, list[Passage]]:
    return {name: [Passage(*each) for each in found] for name, found in kept.get("long_runs", {}).items()}


def _reporter(options: argparse.Namespace) -> Callable[[Run, Tally], None]:
    def report(run: Run, tally: Tally) -> None:
        for note in tally.notes:
            _say(f"  BROKEN {note}")
        if options.resume:
            _keep(options.resume, {"name": run.name, **asdict(tally)})

    return report


def _keep(path: Path, what: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.write(json.dumps(what) + "\n")


def _read(path: Path | None) -> tuple[dict[str, Any], dict[str, Tally]]:
    """What the plan was made from, and each run that was done; both empty at the beginning."""
    if path is None or not path.exists():
        return {}, {}
    plan, *lines = [json.loads(line) for line in path.read_text().splitlines()]
    return plan, {line.pop("name"): Tally(**line) for line in lines}


def table(tallies: dict[str, Tally]) -> str:
    """What each scenario came to, and how much may still be hidden where nothing happened."""
    rows = [("scenario", "runs", *(name for name, _ in Tally().counts), "not reached", "at most")]
    total = Tally()
    for scenario, tally in tallies.items():
        total.add(tally)
        rows.append(_row(scenario, tally))
    rows.append(_row("all", total))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def _row(name: str, t: Tally) -> tuple[str, ...]:
    done = t.runs - t.not_reached
    bound = f"{min(100, 100 * 3 / done):.1f} %" if done and not t.broken else ""
    return (name, str(t.runs), *(str(count) for _, count in t.counts), str(t.not_reached), bound)


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # the output


def main() -> int:
    """Torture and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=500, metavar="N", help="kills at random times (default: 500)")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="start of all chance")  # noqa: S311  # no secret
    parser.add_argument("--only", default="", metavar="WORDS", help="runs whose name holds these words")
    parser.add_argument("--short", action="store_true", help="a few runs of each scenario")
    parser.add_argument("--at-once", type=int, default=4 * (os.cpu_count() or 2), metavar="N", help="homes in parallel")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="keep what was done here, and do not do it again")
    parser.add_argument(
        "--storage", choices=("files", "postgresql"), default="files", help="postgresql: kill replicas on one database"
    )
    parser.add_argument("--model", action="store_true", help="with --storage=postgresql: agents on a scripted model")
    options = parser.parse_args()
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # it complains of clients that were killed
    if options.storage == "postgresql":
        from measure.replicas.torture import torture_replicas

        return asyncio.run(torture_replicas(options))
    began = time.monotonic()
    tallies = asyncio.run(tortured(options))
    _say(f"\n{table(tallies)}\n\n{time.monotonic() - began:.0f} s")
    return 1 if any(tally.broken for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
