"""A process of tier 2 or 3 in a torture: `triage headless`, with the faults that its run orders for it.

Orders stand in files beside the home, `headless-1.json` and so on, one for each process that is started.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bot.__main__ import main
from bot.runtime import failpoints
from tests.torture.faults import Faults, read, take_orders

if __name__ == "__main__":
    if orders := take_orders(Path(sys.argv[-1]).parents[2], "headless"):
        failpoints.arm(Faults(read(orders)))
    sys.exit(main(sys.argv[1:]))
