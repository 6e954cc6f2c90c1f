"""How many lines a second `triage classify` takes, from stdin to stdout: run by `make bench`.

It runs the command as a person would, on a file of made-up messages of the lengths that a channel has, with the
answers going to a file. `--lines FILE` takes other lines; `--count N` more of them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BAR, AIM = 20_000, 40_000
SEED = 7
TEXT = (
    "the deploy build error pod is are staging where how what set limit timeout log since today again fails when and "
    "it after restart config key token user for with in on to please thanks check version 2.4 port 8080 `kubectl` "
    "https://example.org/a/b ? . , I we you they this that not sees nothing service queue worker retry"
)


def made_up(count: int) -> bytes:
    """Slack's own message events: a few words to a few hundred, most of them short."""
    chance = random.Random(SEED)  # noqa: S311  # made-up messages, no secret
    known, made = TEXT.split(), []
    for number in range(count):
        words = min(200, 1 + int(chance.expovariate(1 / 16)))
        text = " ".join(chance.choice(known) for _ in range(words))
        event = {"type": "message", "channel": "C1", "user": f"U{chance.randrange(300)}", "text": text}
        made.append(json.dumps({**event, "ts": f"{1_700_000_000 + number}.000100"}))
    return "\n".join(made).encode() + b"\n"


def measured(lines: bytes) -> dict[str, float]:
    """Lines a second by the clock and by the processor, and the seconds that the start takes."""
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "in"
        given.write_bytes(lines)
        runs = [_run(folder, given) for _ in range(3)]
        starts = [_run(folder, Path(os.devnull)) for _ in range(3)]
    count = lines.count(b"\n")
    return {
        "rate": count / min(wall for wall, _ in runs),
        "processor": count / min(busy for _, busy in runs),
        "start": min(wall for wall, _ in starts),
    }


def _run(folder: str, given: Path) -> tuple[float, float]:
    """Seconds by the clock, and seconds of the processor, which other work on the machine lengthens less."""
    with given.open("rb") as source, (Path(folder) / "out").open("wb") as target:
        began, busy = time.perf_counter(), _cpu_seconds()
        subprocess.run(
            [sys.executable, "-m", "bot", "classify"],
            stdin=source,
            stdout=target,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            cwd=folder,
            check=True,
        )
        return time.perf_counter() - began, _cpu_seconds() - busy


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=Path, metavar="FILE", help="JSON lines to classify")
    parser.add_argument("--count", type=int, default=100_000, metavar="N", help="how many lines are made up")
    options = parser.parse_args()
    lines = options.lines.read_bytes() if options.lines else made_up(options.count)
    found = measured(lines)
    rate = f"{found['rate']:8,.0f} lines/s bar {BAR:,}  {'met' if found['rate'] >= BAR else 'MISSED'}, aim {AIM:,}"
    told = f"by processor time {found['processor']:,.0f} lines/s; its start takes {found['start']:.2f} s"
    print(f"triage classify, stdin to stdout, start included {rate}\n  {told}")  # noqa: T201  # the output


if __name__ == "__main__":
    main()
