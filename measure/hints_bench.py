"""From a question to its card with many open questions to be told of, at Slack's pace: run by `make bench`.

400 threads are open in 12 channels. Where the channels are public the newest ones are told; where they have become
private since, every channel is asked of and nothing is told. The model answers immediately, by a script.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from pathlib import Path

from measure.filling import fill
from sandbox.server import Sandbox
from tests.line import human
from tests.line.agents import QUESTION, agents
from tests.line.conftest import MANIFEST, SHOP, Line
from tests.line.play import Play, said
from tests.line.test_straight_line import calls

ROOT = Path(__file__).resolve().parent.parent


THREADS, CHANNELS = 400, 12
BAR = 1.6
"""Seconds to the card, as with no other question open."""
PATIENCE = 900
"""Seconds that a card is waited for: a slow one is a figure, too."""


async def measured(threads: int, *, is_private: bool) -> tuple[float, int, int]:
    """Seconds to the card, the channels that Slack was asked of, and the questions that the agents were told of."""
    human.PATIENCE = PATIENCE
    with tempfile.TemporaryDirectory() as folder:
        workspace = await Sandbox.start(port=0, manifest=MANIFEST)
        line = Line(workspace, Path(folder))
        (line.folder / "shop").mkdir()
        (line.folder / "shop" / "orders.py").write_text(SHOP)
        rooms = [await line.ana.makes_channel(f"room-{n}", "U0TRIAGE", is_private=is_private) for n in range(CHANNELS)]
        line.home.mkdir()
        fill(line.home, threads, every=1)
        _spread(line.home / "state", rooms)
        play = Play()
        try:
            async with agents(line, play, more="investigator: {hints: true}"):
                before, began = len(await calls(line, "conversations.info")), time.perf_counter()
                await line.ana.say(QUESTION)
                await line.olu.card(QUESTION, '"approve"')
                took = time.perf_counter() - began
                asked = len(await calls(line, "conversations.info")) - before
        finally:
            await workspace.close()
    return took, asked, said(play.asked[0]).count("\n- T0SANDBOX-")


def _spread(state: Path, rooms: list[str]) -> None:
    """Put the threads into the channels in turn, as questions about the shop that were asked in public."""
    for number, path in enumerate(sorted(state.glob("*.json"))):
        room = rooms[number % len(rooms)]
        document = json.loads(path.read_text().replace("C0HELP", room))
        document["thread"]["1"] |= {"visibility": "public", "project": "shop"}
        path.with_name(path.name.replace("C0HELP", room)).write_text(json.dumps(document))
        path.unlink()


def main() -> None:
    """Measure and print."""
    for threads, is_private in ((0, False), (THREADS, False), (THREADS, True)):
        took, asked, told = asyncio.run(measured(threads, is_private=is_private))
        kind = "private since" if is_private else "public"
        verdict = "met" if took <= BAR else "MISSED"
        line = f"question to card, {threads} open in {CHANNELS} channels, {kind}"
        print(f"{line:60} {took:6.2f} s, {asked} looks, {told} told  bar {BAR:g} s  {verdict}")  # noqa: T201  # the output


if __name__ == "__main__":
    main()
