"""Torture of fixes: `python -m measure.fixes`. It exits 1 when a press was lost, or anything was done twice."""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time

from tests.torture.fixes import draw_scenarios, list_passages, play


async def torture(seed: int, kills: int, at_once: int) -> bool:
    """Draw fixes until so many bots were killed, and print what they came to; return whether nothing was wrong."""
    passages = await list_passages()
    _say(f"{len(passages)} operations from the draft to the merge request; seed {seed}")
    scenarios = draw_scenarios(passages, seed)
    killed: list[int] = []
    broken: list[str] = []

    async def work() -> None:
        while sum(killed) < kills:
            scenario = next(scenarios)
            outcome = await play(scenario)
            killed.append(outcome.lives - 1)
            for fault in outcome.faults:
                broken.append(fault)
                _say(f"  BROKEN {scenario.name}: {fault}")

    await asyncio.gather(*(work() for _ in range(at_once)))
    twice = sum(fault.startswith("twice") for fault in broken)
    wrong = f"twice {twice}, lost or otherwise wrong {len(broken) - twice}"
    _say(f"{len(killed)} fixes, {sum(killed)} kills: {wrong}")
    return not broken


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # the output


def main() -> int:
    """Torture and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--kills", type=int, default=200, metavar="N", help="bots that are killed at random operations (default: 200)"
    )
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="start of all chance")  # noqa: S311  # no secret
    parser.add_argument("--at-once", type=int, default=2, metavar="N", help="fixes in parallel")
    options = parser.parse_args()
    began = time.monotonic()
    is_sound = asyncio.run(torture(options.seed, options.kills, options.at_once))
    _say(f"{time.monotonic() - began:.0f} s")
    return 0 if is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
