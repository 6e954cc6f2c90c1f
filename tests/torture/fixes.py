"""Fixes under torture: kills of the bot at every operation from the draft to the merge request, and at random.

The remote, the forge and the messages are looked at from outside; the bot is started again until it has an end.
"""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bot.adapters.documents import Documents
from bot.triage.merge_requests import ACTION
from tests.adapters.workspace_bench import git
from tests.fix_bench import FixBench
from tests.fixes import drafting, fix_of
from tests.forge_server import ForgeServer
from tests.forks import FORKS
from tests.torture.faults import Order, When, written
from tests.torture.fix_bot import main

LIVES = 12
"""Bots that are started until one has an end."""
SECONDS = 60.0
WHENS: tuple[When, ...] = ("before", "after")


@dataclass
class Scenario:
    """Faults of the bots in the order of their starts."""

    name: str
    bots: list[list[Order]] = field(default_factory=list)


@dataclass
class Outcome:
    """What a run came to."""

    lives: int
    faults: list[str]
    """What must not be."""


async def play(scenario: Scenario) -> Outcome:
    """Begin one fix, and start bots until one has its merge request."""
    lane = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="fix-"))
    try:
        async with ForgeServer() as server:
            return await _play(scenario, lane, server)
    finally:
        await asyncio.to_thread(shutil.rmtree, lane, ignore_errors=True)


async def _play(scenario: Scenario, lane: Path, server: ForgeServer) -> Outcome:
    bench = await asyncio.to_thread(FixBench.at, lane, server)
    thread = drafting()
    store = Documents(lane / "home" / "state", stop=None)
    await store.save(thread)
    forge = {"site": server.site("gitlab").model_dump(mode="json"), "variables": server.variables}
    (lane / "forge.json").write_text(json.dumps(forge))
    for number, orders in enumerate(scenario.bots, 1):
        (lane / f"bot-{number:02}.json").write_text(written(orders))
    lives = 0
    while lives < LIVES and not (lane / "end.json").exists():
        lives += 1
        await _live(lane)
    return Outcome(lives, await _find_faults(lane, bench, server, thread.thread_id))


async def _live(lane: Path) -> None:
    """Let one bot live to its end."""
    process = FORKS.Process(target=main, args=(lane,), daemon=True)
    process.start()
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(process.sentinel, ended.set)
    try:
        async with asyncio.timeout(SECONDS):
            await ended.wait()
    except TimeoutError:
        process.kill()
    finally:
        loop.remove_reader(process.sentinel)
        process.join()
        process.close()


async def _find_faults(lane: Path, bench: FixBench, server: ForgeServer, name: str) -> list[str]:
    thread = await Documents(lane / "home" / "state", stop=None).load(name)
    assert thread is not None
    fix = fix_of(thread)
    if not (lane / "end.json").exists() or fix.state != "opened" or fix.proposal is None or fix.request is None:
        return [f"lost: {fix.state} {fix.problem}"]
    found = []
    heads = bench.heads()
    if heads != {"main": heads["main"], fix.proposal.branch: fix.proposal.head}:
        found.append(f"another commit or branch than that of the card: {heads}")
    elif (number := git(bench.remote, "rev-list", "--count", f"main..{fix.proposal.branch}")) != "1":
        found.append(f"twice: {number} commits on the branch")
    if len(server.requests) != 1:
        found.append(f"twice: {len(server.requests)} merge requests")
    posts = Counter((lane / "posts.ndjson").read_text().splitlines())
    if [*posts.values()] != [1]:
        found.append(f"twice: the messages {posts}")
    lines = (lane / "home" / "audit.ndjson").read_text().splitlines()
    opened = [line for line in lines if json.loads(line).get("action") == ACTION]
    if len(opened) != 1:
        found.append(f"twice or lost: {len(opened)} lines in the audit")
    text = thread.draft_pending.text if thread.draft_pending else ""
    if text.count(fix.request.url) != 1:
        found.append(f"the reply has {text.count(fix.request.url)} links")
    return found


async def list_passages() -> list[str]:
    """Every operation of an undisturbed run, in order."""
    with tempfile.TemporaryDirectory() as place:
        listing = Path(place) / "passages"
        outcome = await play(Scenario("undisturbed", [[Order("list", into=str(listing))]]))
        assert not outcome.faults, outcome
        return listing.read_text().splitlines()


def draw_scenarios(passages: list[str], seed: int) -> Iterator[Scenario]:
    """Runs without end, each with one to three kills at random operations; a later bot may not come to its own."""
    numbered = [*_number(passages)]
    chance = random.Random(seed)  # seeded chance is what a run is repeated by
    while True:
        chosen = [(*chance.choice(numbered), chance.choice(WHENS)) for _ in range(chance.randint(1, 3))]
        name = ", ".join(f"{when} {at} #{nth}" for at, nth, when in chosen)
        yield Scenario(name, [[Order("kill", at=at, nth=nth, when=when)] for at, nth, when in chosen])


def _number(passages: list[str]) -> Iterator[tuple[str, int]]:
    seen: Counter[str] = Counter()
    for at in passages:
        seen[at] += 1
        yield at, seen[at]
