"""The process of a runbook in a torture, with the faults that stand in `process-1.json` and so on for it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bot.runtime import failpoints
from bot.runtime.program_process import main
from tests.torture.faults import Faults, read, take_orders

if __name__ == "__main__":
    if orders := take_orders(Path(sys.argv[1]).parents[2], "process"):
        failpoints.arm(Faults(read(orders)))
    sys.exit(main(sys.argv[1:]))
