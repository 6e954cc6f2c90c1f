"""Long runs under torture: kills of the bot, of a run and of both, at each step and at random, and a failing disk.

Each question goes to tier 2, which hands over to tier 3, which answers. Both are a program of the team, whose runs are
counted from outside; the processes around it, the folder, the handoff and the money are the real ones.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from itertools import product
from typing import Any

from bot.errors import Unreadable
from bot.escalation.folder import RunFolder, list_folders
from bot.models.session import Session
from tests.line.human import Human, View
from tests.torture.faults import Order, When, written
from tests.torture.invariants import Tally, examine
from tests.torture.lane import Lane, lane
from tests.torture.nursery import Nursery
from tests.torture.people import QUESTION, Acked, Operator, of_thread
from tests.torture.points import TRIES, Passage

SETTINGS = """
escalation: {{expected_runtime_min_threshold: 0.01}}
tiers:
  2: {{command: [/bin/sh, {program}, "2", "{{session_id}}"], max_usd: 1.0}}
  3: {{command: [/bin/sh, {program}, "3", "{{session_id}}"], max_usd: 1.0}}
"""
PROGRAM = """echo "$1 $2" >> {runs}
{wait}
cat {answers}/$1.json
"""
CITED = {
    "kind": "file",
    "ref": "orders.py:3",
    "supports_claim": "The limit stands there.",
    "quote": "RETRY_LIMIT = 3",
}
ANSWER: dict[str, Any] = {
    "confidence": "high",
    "confidence_reason": "The line that sets it was opened.",
    "summary_for_orchestrator": "A payment is tried again three times.",
    "draft_reply": "Three times: `RETRY_LIMIT = 3` in `orders.py:3`.",
    "draft_language": "en",
    "evidence_refs": [CITED],
    "research_notes": "Looked in orders.py.",
}
ASKS = {"escalation_requested": True, "escalation_reason": "It needs more time.", "missing": "the reason of the limit"}
HURRY = 8
"""Speed of the bot's clock where it waits for the process of a long run to begin: a minute."""
COST = 0.25
"""US dollars that each run of the program reports."""
TIERS = (2, 3)
WHENS: tuple[When, ...] = ("before", "after")
ABOUT = ("escalations.", "sessions.")
"""Points at which a bot or a process is killed here; `points` has the others."""
DISK = {
    "escalations.open": ("ENOSPC", "EROFS"),
    "escalations.write": ("ENOSPC", "EIO"),
    "escalations.sync": ("EIO",),
    "escalations.rename": ("EROFS", "EIO"),
    "escalations.make": ("ENOSPC", "EROFS"),
    "sessions.write": ("ENOSPC", "EIO"),
}


class LongRunOperator(Operator):
    """An operator who has a question drafted again where its long run came to nothing."""

    def _next(self, view: View) -> tuple[Any, ...] | None:
        if (act := super()._next(view)) is not None:
            return act
        mine = of_thread(view, self.root)
        buttons = {
            element["action_id"]: element["value"]
            for block in (mine[-1]["blocks"] if mine else ())
            if block["type"] == "actions"
            for element in block["elements"]
            if "value" in element
        }
        return None if "approve" in buttons else self._press("redraft", mine[-1], buttons) if buttons else None


@asynccontextmanager
async def long_lane(nursery: Nursery, *, seconds: float = 0.0) -> AsyncIterator[Lane]:
    """A world in which each question takes a long run; the program takes so many `seconds`."""
    async with lane(nursery) as made:
        program, answers = made.folder / "program.sh", made.folder / "answers"
        answers.mkdir()
        for tier in TIERS:
            content = json.dumps(ANSWER | (ASKS if tier == TIERS[0] else {}))
            result = {"type": "result", "is_error": False, "result": content, "total_cost_usd": COST, "num_turns": 1}
            (answers / f"{tier}.json").write_text(json.dumps(result))
        wait = f"sleep {seconds}" if seconds else ""
        program.write_text(PROGRAM.format(runs=made.folder / "program-runs", answers=answers, wait=wait))
        made.config.write_text(made.config.read_text() + SETTINGS.format(program=program))
        try:
            yield made
        finally:
            for folder in list_folders(made.home / "escalations"):
                _kill(folder)


def order_headless(made: Lane, *starts: Iterable[Order]) -> None:
    """Order faults for the first process of a long run, the second, and so on."""
    for number, orders in enumerate(starts, 1):
        (made.folder / f"headless-{number}.json").write_text(written([*orders]))


async def long_line(made: Lane, *starts: list[Order], name: str = "") -> Tally:
    """Question, long runs, draft, approve, reply, and an end in peace; then look."""
    acked = Acked()
    made.start(*starts)
    asked = await Human(made.workspace.url, "U0ANA").say(QUESTION)
    operator = LongRunOperator(made, asked, acked, edits=False)
    return await _finish(made, operator, acked, name=name)


async def _finish(made: Lane, operator: Operator, acked: Acked, *, name: str) -> Tally:
    finished = await operator.decide() and await made.ended_in_peace()
    tally = await examine(made, acked, rounds={operator.root: 1}, name=name, finished=finished)
    notes = [*_find_faults(made)]
    tally.double_replies += sum(note.startswith("twice") for note in notes)
    tally.lost_replies += sum(not note.startswith("twice") for note in notes)
    tally.notes += [f"{name}: {note}" for note in notes]
    return tally


def _find_faults(made: Lane) -> Iterable[str]:
    """What a long run must not leave behind."""
    sessions = [Session.model_validate_json(path.read_bytes()) for path in (made.home / "sessions").glob("*.json")]
    long_runs = [session for session in sessions if session.tier in TIERS]
    yield from _find_doubles(made, long_runs)
    events = [record for record in made.records("system.ndjson") if record.get("level") == "critical"]
    told = {event.get("session") for event in events}
    for session in long_runs:
        if session.outcome == "running" or session.held_usd:
            yield f"session {session.session_id} is {session.outcome} and holds ${session.held_usd}"
        if session.outcome == "died" and session.session_id not in told:
            yield f"session {session.session_id} died, and no event says so"
    for folder in list_folders(made.home / "escalations"):
        if folder.find_process() is not None:
            yield f"the process of {folder.thread_id} still runs"
        yield from (f"{path.name} is left" for path in (folder.handoff, folder.child_task) if path.exists())


def _find_doubles(made: Lane, long_runs: list[Session]) -> Iterable[str]:
    """What happened twice, or without a session that answers for its cost."""
    for tier, count in Counter(session.tier for session in long_runs).items():
        if count > 1:
            yield f"twice: {count} sessions of tier {tier}"
    known = {session.session_id for session in long_runs}
    for run, count in Counter(_runs(made)).items():
        if count > 1:
            yield f"twice: the program of tier and session {run} ran {count} times"
        if run.split()[1] not in known:
            yield f"the program ran for {run}, which has no session"


def _runs(made: Lane) -> list[str]:
    path = made.folder / "program-runs"
    return path.read_text().splitlines() if path.exists() else []


async def passages(nursery: Nursery) -> dict[str, list[Passage]]:
    """Every passage at the folders and records of long runs, by the bot and by the process of each tier."""
    async with long_lane(nursery) as made:
        listings = {name: made.folder / f"passages {name}" for name in ("bot", *(f"tier {tier}" for tier in TIERS))}
        bot, *processes = [[Order("list", into=str(listing))] for listing in listings.values()]
        order_headless(made, *processes)
        tally = await long_line(made, bot)
        assert not tally.broken, tally.notes
        return {name: _read_passages(listing.read_text()) for name, listing in listings.items()}


def _read_passages(listing: str) -> list[Passage]:
    seen: Counter[str] = Counter()
    found = []
    for at in listing.splitlines():
        seen[at] += 1
        if at.startswith(ABOUT):
            found.append(Passage(at, seen[at]))
    return found


def list_runs(
    nursery: Nursery, seed: int, kills: int, found: dict[str, list[Passage]]
) -> Iterator[tuple[str, str, Callable[[], Awaitable[Tally]]]]:
    """Every run: its scenario, its name, and how to do it. So many times each is killed at random."""
    for passage, when in product(found.get("bot", ()), WHENS):
        name = f"{when} {passage.at} #{passage.nth}"
        yield "bot killed during a long run", name, partial(bot_killed_at, nursery, passage, when)
    for tier in TIERS:
        for passage, when in product(found.get(f"tier {tier}", ()), WHENS):
            name = f"tier {tier} {when} {passage.at} #{passage.nth}"
            yield "long run killed", name, partial(run_killed_at, nursery, passage, when, tier)
    for number, who in product(range(kills), (("bot",), ("run",), ("bot", "run"))):
        name = f"{number} {' and '.join(who)}"
        yield "long run, kills at random", name, partial(killed_at_random, nursery, seed + number, who)
    faults = ((at, error) for at, errors in DISK.items() for error in errors)
    for (at, error), nth, where in product(faults, (1, 3), ("bot", "process")):
        name = f"{at} {error} {nth} in the {where}"
        yield "long run, failing disk", name, partial(failing, nursery, at, error, nth, where)


async def bot_killed_at(nursery: Nursery, passage: Passage, when: When) -> Tally:
    """The bot dies there; its runs go on, and the next bot takes their results."""
    tally = Tally()
    for _ in range(TRIES):
        order = Order("kill", at=passage.at, nth=passage.nth, when=when)
        async with long_lane(nursery) as made:
            tally.add(await long_line(made, [order], name=f"bot killed {when} {passage.at} #{passage.nth}"))
            if made.deaths:
                break
    else:
        tally.not_reached = 1
    tally.runs = 1
    return tally


async def run_killed_at(nursery: Nursery, passage: Passage, when: When, tier: int) -> Tally:
    """The process of this tier dies there; the operator is told, and the question is answered all the same."""
    order = Order("kill", at=passage.at, nth=passage.nth, when=when)
    async with long_lane(nursery) as made, made.clock.run(HURRY):  # one that has not begun is waited for
        order_headless(made, *[[] for _ in range(tier - TIERS[0])], [order])
        return await long_line(made, name=f"run of tier {tier} killed {when} {passage.at} #{passage.nth}")


async def killed_at_random(nursery: Nursery, seed: int, who: tuple[str, ...]) -> Tally:
    """The bot, the run, or both die within the first seconds of runs that take their time."""
    chance = random.Random(seed)  # seeded chance is what a run is repeated by
    async with long_lane(nursery, seconds=1.0) as made:
        acked = Acked()
        made.start()
        asked = await Human(made.workspace.url, "U0ANA").say(QUESTION)
        killing = asyncio.create_task(_kill_later(made, chance.uniform(0.0, 6.0), who))
        operator = LongRunOperator(made, asked, acked, edits=False)
        try:
            return await _finish(made, operator, acked, name=f"{' and '.join(who)} killed at random, seed {seed}")
        finally:
            killing.cancel()


async def failing(nursery: Nursery, at: str, error: str, nth: int, where: str) -> Tally:
    """An operation on a folder or record of long runs fails twice, in the bot or in the process."""
    order = Order("fail", at=at, nth=nth, times=2, error=error)
    async with long_lane(nursery) as made, made.clock.run(HURRY):
        if where == "process":
            order_headless(made, [order])
        starts = [[order]] if where == "bot" else []
        return await long_line(made, *starts, name=f"{error} at {at} #{nth} in the {where}")


async def _kill_later(made: Lane, seconds: float, who: tuple[str, ...]) -> None:
    await asyncio.sleep(seconds)
    if "run" in who:
        for folder in list_folders(made.home / "escalations"):
            _kill(folder)
    if "bot" in who and made.bot:
        made.bot.kill()


def _kill(folder: RunFolder) -> None:
    with suppress(Unreadable, ProcessLookupError, PermissionError):
        if (pid := folder.find_process()) is not None:
            os.kill(pid, signal.SIGKILL)
