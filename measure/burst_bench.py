"""A burst at Slack's published rates: questions by two people, one operator who approves them as the cards come.

Run by `make bench`; with `--long` at the same pace for ten minutes. The bot is a process of its own, over Socket Mode,
in a local workspace that refuses each call beyond the tier of its method. What is timed is what a person waits for.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp

from measure.commands_bench import started
from measure.many_settings import NAMES, write_settings
from sandbox.server import Sandbox
from tests.line.conftest import MANIFEST, Line
from tests.line.human import Human, cards, replies, shows

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.line.human import View

ROOT = Path(__file__).resolve().parent.parent


QUESTIONS, EVERY = 40, 1.5
"""How many, and the seconds between two: forty a minute."""
LONG = 400
BARS = {"press to visible outcome": 0.5, "press to posted reply": 1.0}
"""Seconds, at worst."""
REFUSALS = "calls refused for their rate"
SUBJECTS = (
    "what is the default of {}?",
    "hi all, which value does {} have? thanks!",
    "do we know what {} is set to?",
    "where is {} defined, and to what?",
)
MORE = "floods: {per_user: {per_minute: 600, burst: 600}, per_channel: {per_minute: 600, burst: 600}}"

Times = dict[str, list[float]]


class Burst:
    """One run: who asks, who decides, and what was seen when."""

    def __init__(self, made: Line) -> None:
        self._askers = (made.ana, Human(made.workspace.url, "U0GUEST"))
        self._olu = made.olu
        self._asked: dict[str, str] = {}
        self.times: Times = defaultdict(list)

    async def run(self, count: int) -> None:
        """Ask and approve until each question has its reply."""
        asking = asyncio.create_task(self._ask(count))
        done: set[str] = set()
        following = []
        while len(done) < count:
            card = await self._olu.sees(lambda view: next((c for c in cards(view) if _can_approve(c, done)), None))
            done.add(card["ts"])
            following += [asyncio.create_task(self._until_posted(self._name(card), time.perf_counter()))]
            await self._press(card)
        await asking
        await asyncio.gather(*following)

    async def _ask(self, count: int) -> None:
        for number in range(count):
            name = NAMES[number]
            text = SUBJECTS[number % len(SUBJECTS)].format(name)
            self._asked[name] = await self._askers[number % 2].say(text)
            await asyncio.sleep(EVERY)

    async def _press(self, card: View) -> None:
        began = time.perf_counter()
        answer = await self._olu.press("approve", card)
        assert answer["ok"], answer  # noqa: S101  # a refusal is no figure
        await self._olu.sees(lambda view: _differs(view, card))
        self.times["press to visible outcome"].append(time.perf_counter() - began)

    async def _until_posted(self, name: str, began: float) -> None:
        seen: Callable[[View], Any] = lambda view: replies(view, self._asked[name])  # noqa: E731  # one line
        await self._askers[0].sees(seen)
        self.times["press to posted reply"].append(time.perf_counter() - began)

    def _name(self, card: View) -> str:
        return next(name for name in self._asked if shows(card, name))


def _can_approve(card: View, done: set[str]) -> bool:
    return card["ts"] not in done and shows(card, '"approve"')


def _differs(view: View, card: View) -> bool:
    return any(each["ts"] == card["ts"] and each["blocks"] != card["blocks"] for each in cards(view))


async def measured(count: int) -> tuple[Times, Counter[str], Counter[str]]:
    """The times, in seconds; the calls by method; the refused ones."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = await Sandbox.start(port=0, manifest=MANIFEST, rate_limits=True)
        made = Line(workspace, Path(folder))
        write_settings(made.folder / "shop")
        made.configure(pace=1.0, more=MORE)
        process = await started(made)
        burst = Burst(made)
        try:
            await burst.run(count)
        finally:
            process.terminate()
            await process.communicate()
            calls = await _calls(workspace.url)
            await workspace.close()
        refused = Counter(call["method"] for call in calls if call.get("error") == "ratelimited")
        return burst.times, Counter(call["method"] for call in calls), refused


async def _calls(url: str) -> list[dict[str, Any]]:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/calls") as answer:
        calls: list[dict[str, Any]] = (await answer.json())["calls"]
        return calls


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help=f"{LONG} questions instead of {QUESTIONS}")
    count = LONG if parser.parse_args().long else QUESTIONS
    times, calls, refused = asyncio.run(measured(count))
    for name, taken in times.items():
        worst, median = max(taken), sorted(taken)[len(taken) // 2]
        verdict = "met" if worst <= BARS[name] else "MISSED"
        said = f"{count} questions, {name}: worst"
        print(f"{said:60} {worst:6.3f} s (median {median:.3f}) bar {BARS[name]:g} s  {verdict}")  # noqa: T201  # the output
    verdict = "MISSED" if refused else "met"
    print(f"{f'{count} questions, {REFUSALS}':60} {refused.total():6} {dict(refused) or ''} bar 0  {verdict}")  # noqa: T201  # the same
    print("calls: " + ", ".join(f"{method} {times}" for method, times in calls.most_common()))  # noqa: T201  # the same


if __name__ == "__main__":
    main()
