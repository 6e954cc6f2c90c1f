"""Command line: `python -m measure.bare_root image` or `installed`."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time

from measure.bare_root.image import try_image
from measure.bare_root.installed import try_installed
from measure.bare_root.machine import find_reason_against
from measure.bare_root.root import Failed


def main() -> int:
    """Try it; return 1 at a fault, 2 where no root can stand."""
    parser = argparse.ArgumentParser(prog="python -m measure.bare_root", description="Try Triage in a bare Debian.")
    parser.add_argument("what", choices=["image", "installed"])
    parser.add_argument("--release", default="trixie", help="of Debian, for `installed` (default: trixie)")
    options = parser.parse_args()
    if reason := find_reason_against():
        print(f"Not possible here: {reason}", file=sys.stderr)  # noqa: T201  # command-line output
        return 2
    began = time.monotonic()

    def tell(line: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {line}", flush=True)  # noqa: T201  # the same

    try:
        if options.what == "image":
            asyncio.run(try_image(tell))
        else:
            try_installed(options.release, tell)
    except Failed as fault:
        print(f"WRONG: {fault}", file=sys.stderr)  # noqa: T201  # the same
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
