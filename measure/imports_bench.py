"""What the imports of each command cost, beside those of pydantic alone: run by `make bench`.

A ratio holds on a slow machine too. Each row is the median of five processes, in seconds of computing.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEASURED = ("bot.cli.classify", "bot.cli.replay", "bot.cli.run", "bot.cli.demo", "bot.cli.doctor", "bot.wiring.app")
YARDSTICK = "pydantic.main"
TIMES = 5
_RESIDENT = "next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmRSS'))"


def measure(module: str) -> tuple[float, float]:
    """Return the seconds of computing of a process that imports a module, and its memory then in MB."""
    program = f"import {module}, time; print(time.process_time(), {_RESIDENT})"
    rows = []
    for _ in range(TIMES):
        done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
        seconds, kilobytes = done.stdout.split()
        rows.append((float(seconds), float(kilobytes) / 1024))
    return statistics.median(seconds for seconds, _ in rows), statistics.median(memory for _, memory in rows)


def main() -> None:
    """Print a row for each command."""
    unit, _ = measure(YARDSTICK)
    for module in MEASURED:
        seconds, memory = measure(module)
        print(f"{module:18} {seconds / unit:5.1f} times {YARDSTICK}   {seconds:.2f} s   {memory:.0f} MB")  # noqa: T201  # a report


if __name__ == "__main__":
    main()
