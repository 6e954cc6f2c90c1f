"""Runs every attack, or those that are named: `python -m measure.attack [NAME …] [--count N]`.

It exits 1 when one had an effect.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

from measure.attack.tally import Tally


def main() -> int:
    """Run them one after the other and print the table."""
    every = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if "\ndef run(" in path.read_text("utf-8"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *every], help="attacks to run; all when none is named")
    parser.add_argument("--count", type=int, help="tries of each, instead of as many as the table tells of")
    asked = parser.parse_args()
    failed = False
    sys.stdout.write("| attack | tries | effects | measured |\n|---|---|---|---|\n")
    for name in asked.names or every:
        module = importlib.import_module(f"measure.attack.{name}")
        began = time.monotonic()
        found = module.run(asked.count or module.COUNT)
        for tally in (found,) if isinstance(found, Tally) else found:
            sys.stdout.write(f"| {tally.attack} | {tally.tries:,} | {len(tally.effects)} | {tally.measured} |\n")
            sys.stdout.flush()
            sys.stderr.writelines(f"  {effect}\n" for effect in tally.effects[:20])
            failed |= bool(tally.effects)
        sys.stderr.write(f"  {name}: {time.monotonic() - began:.0f} s\n")
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
