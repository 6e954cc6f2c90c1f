"""What the evidence check stops and what it lets pass, over this repository; run by `make bench`.

True references of three kinds must never fail, fabricated ones of ten kinds always: on the files as they lie, at the
newest commit and at older ones. Exit 1 when one did not. `--places N --seed S`.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from pathlib import Path

from tests.agents.fabricated import Tally, tracked, tried

ROOT = Path(__file__).resolve().parent.parent
OLDER = 4
FILES_AT_A_COMMIT = 40


def commits() -> list[str]:
    """The newest commit and some older ones, evenly spaced; none without git."""
    command = ["git", "-C", str(ROOT), "rev-list", "--first-parent", "HEAD"]
    found = subprocess.run(command, check=False, capture_output=True, text=True).stdout.split()
    return found[:: max(1, len(found) // OLDER)][: OLDER + 1]


async def measured(places: int, seed: int) -> Tally:
    """All of it; the figures go to the screen as they come."""
    paths, whole = tracked(ROOT), Tally()
    for commit in (None, *commits()):
        some = paths if commit is None else paths[:: max(1, len(paths) // FILES_AT_A_COMMIT)]
        count = places if commit is None else places // 10
        began = time.perf_counter()
        tally = await tried(ROOT, some, seed=seed, count=count, commit=commit)
        each = (time.perf_counter() - began) / (tally.true.total() + tally.false.total())
        where = f"at {commit[:12]}" if commit else "files as they lie"
        say(
            f"{where:30} {tally.true.total():8,} true, {len(tally.refused)} failed; {tally.false.total():8,} "
            f"fabricated, {len(tally.accepted)} let pass; {1e6 * each:.0f} µs each, their making included"
        )
        whole.true += tally.true
        whole.false += tally.false
        whole.refused += tally.refused
        whole.accepted += tally.accepted
    return whole


def say(line: str) -> None:
    """A line of the report."""
    print(line)  # noqa: T201  # it is what the script is for


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What the evidence check stops and what it lets pass.")
    parser.add_argument(
        "--places", type=int, default=20_000, help="places in the files; a tenth of them at each commit"
    )
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    tally = asyncio.run(measured(options.places, options.seed))
    for kind, count in tally.true.items():
        failed = sum(wrong == kind for wrong, _ in tally.refused)
        say(f"  true, {kind:30} {count:8,}  failed {failed}  bar 0  {'met' if not failed else 'MISSED'}")
    for kind, count in tally.false.items():
        passed = sum(wrong == kind for wrong, _ in tally.accepted)
        say(f"  fabricated, {kind:24} {count:8,}  let pass {passed}  bar 0  {'met' if not passed else 'MISSED'}")
    for kind, reference in (tally.refused + tally.accepted)[:10]:
        say(f"    {kind}: {reference.ref!r} {reference.quote!r}")
    return 1 if tally.refused or tally.accepted else 0


if __name__ == "__main__":
    sys.exit(main())
