"""Stopwatch of a newcomer: from `git clone` to the first approved reply in the demo, with a person who acts at once.

`python -m measure.first_hour` takes this machine with the caches of pip and uv as they are; `--cold` gives them empty
ones. `--root` takes a bare Debian with git, make and Python, and a new user there: with pip and with uv, each without
caches and again with those of the first time. The clone is of the last commit; the commands are those of the README.
Beside the seconds of the clock are those of computing, and how many processes wanted a core: other work slows both.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp

from measure.bare_root.machine import find_reason_against, find_uv
from measure.bare_root.newcomer import NEWCOMER, PACKAGES, SOURCE, newcomer, read_page
from measure.bare_root.root import Bind
from tests.line.human import Human

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parent.parent
QUESTION = "where is debounce_ms set?"
UNTIL_PAGE = {"cold": 35.0, "warm": 8.0}
"""Seconds from the start of `git clone` that a newcomer may wait for the page."""
UNTIL_REPLY = 60.0
"""The same until the first approved reply."""
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Place:
    """Machine and person: how a command is started there, and what is cloned into which folder."""

    words: Callable[..., list[str]]
    variables: dict[str, str]
    source: str
    folder: str


async def measure(place: Place, name: str, wait_for_page: float) -> None:
    """Clone into the folder `name` and go on to the reply; print the seconds since the start after each step."""
    began = time.monotonic()
    line = f'git clone --quiet {place.source} {name} && echo cloned && cd {name} && exec make demo ARGS="$0"'
    options = f"--port 0 --home {place.folder}/home-{name}"
    demo = await asyncio.create_subprocess_exec(
        *place.words("sh", "-c", line, options, cwd=place.folder),
        env=place.variables,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )

    def tell(step: str) -> float:
        wall = time.monotonic() - began
        beside = f"{_computed(demo.pid):5.1f} s computed, load {os.getloadavg()[0]:4.1f}"
        print(f"{wall:6.1f} s, {beside}  {step}", flush=True)  # noqa: T201  # the measurement
        return wall

    def look(line: str) -> None:
        if line.startswith(("cloned", "Installed")):
            tell(line)

    try:
        page, url = await read_page(demo, look)
        async with aiohttp.ClientSession() as session, session.get(page) as answer:
            answer.raise_for_status()
        _judge(tell(f"the page is there: {page}"), wait_for_page)
        ana, olu = Human(url, "U0ANA"), Human(url, "U0OPS")
        ts = await ana.say(QUESTION)
        card = await olu.card(QUESTION)
        tell("the card is there")
        await olu.press("approve", card)
        await ana.replies(ts)
        _judge(tell("the approved reply is posted"), UNTIL_REPLY)
    finally:
        if demo.returncode is None:
            os.killpg(demo.pid, signal.SIGINT)
            await demo.wait()


def _judge(wall: float, bar: float) -> None:
    print(f"         {'within' if wall <= bar else 'OVER'} the {bar:.0f} s that it may take", flush=True)  # noqa: T201  # as above


def _computed(pid: int) -> float:
    """Return the seconds of computing of a process, of those below it, and of those of them that have ended."""
    stats = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            stats[int(path.parent.name)] = path.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
    total, waiting = 0, [pid]
    while waiting:
        parent = waiting.pop()
        total += sum(int(figure) for figure in stats.get(parent, [])[11:15])
        waiting += [child for child, stat in stats.items() if int(stat[1]) == parent]
    return total / _TICKS


@contextmanager
def here(*, is_cold: bool) -> Iterator[Place]:
    """Give this machine, with a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        variables = {k: v for k, v in os.environ.items() if not k.startswith(("TRIAGE_", "SLACK_", "PYTHON"))}
        if is_cold:
            variables |= {"PIP_CACHE_DIR": f"{folder}/pip", "UV_CACHE_DIR": f"{folder}/uv"}
        yield Place(lambda *command, cwd: ["env", f"--chdir={cwd}", *command], variables, str(ROOT), folder)


@contextmanager
def there(release: str, uv: Path | None) -> Iterator[Place]:
    """Give a bare Debian, with a user who has never been there."""
    with newcomer(release, *PACKAGES, binds=[Bind(uv, "/usr/local/bin/uv")] if uv else []) as root:

        def words(*command: str, cwd: str) -> list[str]:
            return root.words(*command, user=NEWCOMER, cwd=cwd)

        yield Place(words, dict(os.environ), SOURCE, root.account(NEWCOMER)[2])


def in_roots(release: str) -> None:
    """Measure with pip and with uv, each cold and warm."""
    uv = find_uv()
    for installer, program in (("pip", None), ("uv", uv)):
        if installer == "uv" and not uv:
            print("uv: not installed here, not measured")  # noqa: T201  # as above
            continue
        with there(release, program) as place:
            for state, bar in UNTIL_PAGE.items():
                print(f"{release}, {installer}, {state}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")  # noqa: T201  # as above
                asyncio.run(measure(place, state, bar))


def main() -> int:
    """Measure; return 2 where no root can stand."""
    parser = argparse.ArgumentParser(description="From git clone to the first approved reply.")
    parser.add_argument("--cold", action="store_true", help="with empty caches of pip and uv")
    parser.add_argument("--root", action="store_true", help="in a bare Debian: pip and uv, cold and warm")
    parser.add_argument("--release", default="trixie", help="of Debian, for --root (default: trixie)")
    options = parser.parse_args()
    if options.root:
        if reason := find_reason_against():
            print(f"Not possible here: {reason}", file=sys.stderr)  # noqa: T201  # as above
            return 2
        in_roots(options.release)
        return 0
    with here(is_cold=options.cold) as place:
        asyncio.run(measure(place, "triage", UNTIL_PAGE["cold" if options.cold else "warm"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
