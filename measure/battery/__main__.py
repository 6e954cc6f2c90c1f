"""At least 150 behaviours and faults of a model's server: `python -m measure.battery [--only TEXT]`.

Engines, agents, tools, HTTP calls and records are the real ones; the model is scripted. Waits take no time: their
seconds are counted by a clock that is handed in. Some rows are run again on the whole line, where nobody presses
anything. The exit code tells whether each row ends as it must.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from measure import cache
from measure.battery.line import SENTENCE, choose_rows, run_on_line
from measure.battery.rows import all_rows
from measure.battery.run import run_row
from measure.battery.table import list_table

if TYPE_CHECKING:
    from measure.battery.row import Outcome, Row

CONCURRENT = 6
MOST_USD, LEAST_CACHED = 0.27, 0.85
"""Goals of a run of fifteen calls over this repository."""


async def run_rows(rows: list[Row]) -> list[Outcome]:
    """Run rows, several at the same time."""
    seats = asyncio.Semaphore(CONCURRENT)

    async def run_seated(row: Row) -> Outcome:
        async with seats:
            return await run_row(row)

    return list(await asyncio.gather(*map(run_seated, rows)))


async def run_lines(rows: list[Row]) -> tuple[list[Outcome], int]:
    """Run rows on the whole line, one after the other; return the number of posts in channels, too."""
    done = [await run_on_line(row) for row in rows]
    return [outcome for outcome, _ in done], sum(posts for _, posts in done)


async def measure_fifteen() -> tuple[str, bool]:
    """Return the sentence on fifteen calls over this repository, and whether its goals are met."""
    with tempfile.TemporaryDirectory() as folder:
        use = await cache.measure(cache.SHAPES["one a turn"], Path(folder))
    told = f"{use.usage.input_tokens} uncached tokens, {use.share:.1%} from the cache, ${use.usd:.3f}"
    is_met = use.usage.input_tokens == 0 and use.share >= LEAST_CACHED and use.usd <= MOST_USD
    return f"Fifteen calls over this repository: {told}.", is_met


def main() -> int:
    """Print the table and each failed row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="run the rows whose kind or name contains this")
    asked = parser.parse_args()
    logging.disable(logging.CRITICAL)
    rows, lines = (_choose(rows, asked.only) for rows in (all_rows(), choose_rows(all_rows())))
    outcomes = asyncio.run(run_rows(rows))
    on_line, posts = asyncio.run(run_lines(lines))
    outcomes += on_line
    fifteen, is_met = asyncio.run(measure_fifteen())
    below = f"{SENTENCE.format(posts=posts)} {fifteen}" if on_line else fifteen
    failed = [outcome for outcome in outcomes if outcome.faults]
    told = [f"{one.row.kind}: {one.row.name}: {'; '.join(one.faults)}" for one in failed]
    sys.stdout.write("\n".join([*list_table(outcomes, below), *told, ""]))
    return 0 if is_met and not failed else 1


def _choose(rows: list[Row], only: str) -> list[Row]:
    return [row for row in rows if only in f"{row.kind}: {row.name}"]


if __name__ == "__main__":
    sys.exit(main())
