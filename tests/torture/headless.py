"""A process of tier 2 or 3 in a torture: `triage headless`, with the faults that its run orders for it.

Orders stand in files beside the home, `headless-1.json` and so on, one for each process that is started.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bot.__main__ import main
from bot.runtime import failpoints
from tests.torture.faults import Faults, read


def take_orders(lane: Path) -> str:
    """The orders for this process; empty if there are none left."""
    for path in sorted(lane.glob("headless-*.json")):
        taken = path.with_suffix(f".{os.getpid()}")
        try:
            path.rename(taken)
        except FileNotFoundError:  # by another process
            continue
        return taken.read_text()
    return ""


if __name__ == "__main__":
    if orders := take_orders(Path(sys.argv[-1]).parents[2]):
        failpoints.arm(Faults(read(orders)))
    sys.exit(main(sys.argv[1:]))
