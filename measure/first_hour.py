"""Stopwatch of a newcomer: from `git clone` to the first approved reply in the demo, with a person who acts at once.

`python -m measure.first_hour` takes the caches of pip and uv as they are; `--cold` gives them empty ones. The clone is
of the last commit; the commands are those of the README.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.line.human import Human

ROOT = Path(__file__).resolve().parent.parent
QUESTION = "where is debounce_ms set?"
_PAGE = re.compile(r"Page\s+(http://\S+?)/\?as=")


async def measure(folder: Path, *, is_cold: bool) -> None:
    """Print the seconds since the start after each step."""
    began = time.monotonic()

    def tell(step: str) -> None:
        print(f"{time.monotonic() - began:6.1f} s  {step}", flush=True)  # noqa: T201  # the measurement

    clone = folder / "triage"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)  # noqa: S607, ASYNC221  # as typed
    tell("cloned")
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("TRIAGE_", "SLACK_", "PYTHON"))}
    if is_cold:
        variables |= {"PIP_CACHE_DIR": str(folder / "pip"), "UV_CACHE_DIR": str(folder / "uv")}
    demo = await asyncio.create_subprocess_exec(
        *("make", "demo", f"ARGS=--port 0 --home {folder / 'home'}"),
        cwd=clone,
        env=variables,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert demo.stdout is not None  # noqa: S101  # it was asked for
        page = ""
        async for line in demo.stdout:
            text = line.decode().strip()
            if text.startswith("Installed"):
                tell(text)
            if found := _PAGE.search(text):
                page = found[1]
                break
        tell(f"the page is there: {page}")
        ana, olu = Human(page, "U0ANA"), Human(page, "U0OPS")
        ts = await ana.say(QUESTION)
        card = await olu.card(QUESTION)
        tell("the card is there")
        await olu.press("approve", card)
        await ana.replies(ts)
        tell("the reply is posted")
    finally:
        os.killpg(demo.pid, signal.SIGINT)
        await demo.wait()


def main() -> int:
    """Measure once."""
    parser = argparse.ArgumentParser(description="From git clone to the first approved reply.")
    parser.add_argument("--cold", action="store_true", help="with empty caches of pip and uv")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder), is_cold=options.cold))
    return 0


if __name__ == "__main__":
    sys.exit(main())
