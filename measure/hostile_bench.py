"""How many calls of a hostile caller run what role or tier forbids: run by `make bench`. The bar is none."""

from __future__ import annotations

import asyncio

from bot.assistant.commands.catalogue import CATALOGUE
from tests.assistant.crew import SMALL
from tests.assistant.hostile import Hostile


def main() -> None:
    """Count and print."""
    count = asyncio.run(Hostile({**CATALOGUE, **SMALL}).rage())
    verdict = "met" if not count.violations else "MISSED"
    said = f"violations by a hostile caller: {len(count.violations)} of {count.calls:,} calls"
    print(f"{said:60} bar 0  {verdict}")  # noqa: T201  # the output


if __name__ == "__main__":
    main()
