"""Torture of runbooks: `python -m measure.runbooks`. It exits 1 when a press was lost, or a program started twice."""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time
from collections import Counter

from tests.torture.runbooks import list_passages, list_scenarios, play


async def torture(seed: int, kills: int, at_once: int, only: str) -> bool:
    """Play every scenario, and print what they came to; return whether nothing was wrong."""
    passages = await list_passages()
    scenarios = [each for each in list_scenarios(passages, seed, kills) if only in each.name]
    _say(f"{', '.join(f'{len(each)} operations of the {who}' for who, each in passages.items())}; seed {seed}")
    waiting, outcomes, broken = iter(scenarios), Counter[str](), []

    async def work() -> None:
        for scenario in waiting:
            outcome = await play(scenario)
            outcomes[outcome.end.outcome if outcome.end else "none"] += 1
            for fault in outcome.faults:
                broken.append(fault)
                _say(f"  BROKEN {scenario.name}: {fault}")

    await asyncio.gather(*(work() for _ in range(at_once)))
    twice = sum(fault.startswith("twice") for fault in broken)
    ends = ", ".join(f"{count} {name}" for name, count in outcomes.most_common())
    _say(f"{len(scenarios)} runs: {ends}; twice {twice}, lost or otherwise wrong {len(broken) - twice}")
    return not broken


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # the output


def main() -> int:
    """Torture and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200, metavar="N", help="runs with kills at random (default: 200)")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="start of all chance")  # noqa: S311  # no secret
    parser.add_argument("--only", default="", metavar="WORDS", help="runs whose name holds these words")
    parser.add_argument("--at-once", type=int, default=4, metavar="N", help="runs in parallel")
    options = parser.parse_args()
    began = time.monotonic()
    is_sound = asyncio.run(torture(options.seed, options.kills, options.at_once, options.only))
    _say(f"{time.monotonic() - began:.0f} s")
    return 0 if is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
