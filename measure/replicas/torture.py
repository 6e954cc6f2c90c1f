"""The torture of replicas: `make torture ARGS=--storage=postgresql`.

Two replicas answer questions while one of them is killed, stopped for a minute, or its database is restarted or cut
off. Every question must get exactly one reply, and the one of its last wording. It prints what happened, and exits 1
when anything was lost, doubled or out of order.
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from bot.models.session import Session
from measure.replicas.model import SlowModel
from tests.line.human import Human, cards, replies
from tests.model_server import ModelServer
from tests.replicas import ASKERS, NAMES, Place, Replica, open_place, value_of

if TYPE_CHECKING:
    import argparse

ASKED_EVERY = 6.0
"""Seconds between two questions: each needs three updates of its card, of which Slack takes fifty a minute."""
EDITED = 0.2
"""Share of the questions that their author changes at once."""
SETTLED_WITHIN = 240.0
"""Seconds after the last kill in which every question must have its reply."""
PAUSES, RESTARTS, CUTS = "stopped for a minute", "restart of the database", "connections cut"
KILL = "SIGKILL"


@dataclass
class _Question:
    ts: str
    name: str
    """The constant that its last wording asks for."""


@dataclass
class _Story:
    """What happened: questions by their ts, the times of take-overs, and what was done to the replicas."""

    questions: dict[str, _Question] = field(default_factory=dict)
    takeovers: list[float] = field(default_factory=list)
    done: dict[str, int] = field(default_factory=dict)
    asking: bool = True


async def torture_replicas(options: argparse.Namespace) -> int:
    """Run it; return the exit code."""
    chance = random.Random(options.seed)  # noqa: S311  # a plan, no secret
    others = options.kills // 15 or 1
    plan = [KILL] * options.kills + [PAUSES, RESTARTS, CUTS] * (others // 3 or 1)
    chance.shuffle(plan)
    model = SlowModel(chance)
    with tempfile.TemporaryDirectory(prefix="triage-replicas-") as name:
        async with ModelServer(model) as server, open_place(Path(name), **_settings(options, server)) as place:
            story = _Story()
            for number in (1, 2):
                await (await place.start(number)).is_up.wait()
            url = place.workspace.url
            ana, ops = Human(url, "U0ANA"), Human(url, "U0OPS")
            askers = [Human(url, person.id) for person in ASKERS]
            people = [asyncio.create_task(_ask(askers, story, chance)), asyncio.create_task(_approve(ops))]
            for turn, what in enumerate(plan, 1):
                await asyncio.sleep(chance.uniform(0.5, 6))
                await _strike(place, what, story, chance)
                story.done[what] = story.done.get(what, 0) + 1
                _say(f"{turn}/{len(plan)} {what}; {len(story.questions)} questions; {_format(story.takeovers)}")
            story.asking = False
            broken = await _settle(ana, story, place)
            if options.model:
                broken += _read_money(place, model)
            for person in people:
                person.cancel()
            await asyncio.gather(*people, return_exceptions=True)
    _say(f"{json.dumps(story.done)}; {len(story.questions)} questions; take-overs: {_format(story.takeovers)}")
    for line in broken:
        _say(f"  BROKEN {line}")
    _say(f"lost, twice or out of order: {len(broken)}")
    return 1 if broken else 0


async def _strike(place: Place, what: str, story: _Story, chance: random.Random) -> None:
    """Do one thing to a replica or to the database, and wait until two replicas are up again."""
    alive = [each for each in place.replicas if each.process.returncode is None]
    leader = next((each for each in alive if each.led_at is not None), None)
    victim = chance.choice(alive)
    if what == RESTARTS:
        await asyncio.to_thread(place.cluster.stop, signal.SIGQUIT)
        await asyncio.to_thread(place.cluster.start)
        return
    if what == CUTS:
        cut = "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'triage%'"
        await asyncio.to_thread(place.cluster.run, cut)
        return
    if what == PAUSES:
        victim = leader or victim
        victim.send(signal.SIGSTOP)
        await _wait_for_leader(place, besides=victim, story=story)
        await asyncio.sleep(max(0.0, 60 - (story.takeovers[-1] if story.takeovers else 0)))
        victim.is_up.clear()
        victim.send(signal.SIGCONT)
        await asyncio.wait_for(victim.is_up.wait(), 120)  # it begins again as a standby
        return
    victim.send(signal.SIGKILL)
    await victim.process.wait()
    if victim is leader:
        await _wait_for_leader(place, besides=victim, story=story)
    await asyncio.wait_for((await place.start(victim.number)).is_up.wait(), 120)


async def _wait_for_leader(place: Place, *, besides: Replica, story: _Story) -> None:
    """Measure the time until another replica leads."""
    began = time.monotonic()
    while True:
        others = [each for each in place.replicas if each is not besides and each.process.returncode is None]
        if any(each.led_at is not None for each in others):
            break
        if time.monotonic() - began > 120:
            raise SystemExit("no replica leads after two minutes:\n" + "\n".join(others[0].lines[-40:]))
        await asyncio.sleep(0.02)
    story.takeovers.append(time.monotonic() - began)


async def _ask(askers: list[Human], story: _Story, chance: random.Random) -> None:
    names = list(NAMES)
    chance.shuffle(names)
    while story.asking:
        with suppress(AssertionError, OSError):  # Slack's own limit; the next one is asked instead
            name = names.pop()
            asker = askers[len(story.questions) % len(askers)]
            ts = await asker.say(f"What is the {name} of the shop set to?")
            story.questions[ts] = _Question(ts, name)
            if chance.random() < EDITED:
                await asyncio.sleep(chance.uniform(0, 0.5))
                name = names.pop()
                await asker.does("edit", ts=ts, text=f"What is the {name} of the shop set to?")
                story.questions[ts].name = name
        await asyncio.sleep(chance.uniform(0.5, 1.5) * ASKED_EVERY)


async def _approve(ops: Human) -> None:
    """Press Approve on every card that is seen, or Redraft where a search failed, again if nothing came of it."""
    pressed: dict[str, float] = {}
    while True:
        for card in cards(await ops.now()):
            actions = json.dumps(card.get("blocks", ()))
            button = next((name for name in ("approve", "redraft") if f'"{name}"' in actions), None)
            if button is None or time.monotonic() - pressed.get(card["ts"], -60) < 30:
                continue
            pressed[card["ts"]] = time.monotonic()
            await ops.press(button, card)
        await asyncio.sleep(0.5)


async def _settle(ana: Human, story: _Story, place: Place) -> list[str]:
    """Wait until every question has its reply, and a while longer; return what is wrong."""
    until = time.monotonic() + SETTLED_WITHIN
    while time.monotonic() < until:
        view = await ana.now()
        if all(_own_replies(view, each.ts) for each in story.questions.values()):
            break
        await asyncio.sleep(1)
    await asyncio.sleep(20)  # what would be posted a second time comes by then
    view = await ana.now()
    broken = []
    for each in story.questions.values():
        said = _own_replies(view, each.ts)
        if not said:
            broken.append(f"lost: {each.name} ({each.ts}): {_read_status(place, each.ts)}")
        elif len(said) > 1:
            broken.append(f"twice: {each.name} ({each.ts}): {[text[:60] for text in said]}")
        elif str(value_of(each.name)) not in said[0]:
            broken.append(f"out of order: {each.name} ({each.ts}) got {said[0][:80]}")
    return broken


def _settings(options: argparse.Namespace, server: ModelServer) -> dict[str, Any]:
    if not options.model:
        return {}
    return {"engine": "claude", "model": {"base_url": server.url, "max_usd_per_day": 1_000.0}}


def _read_money(place: Place, model: SlowModel) -> list[str]:
    """Say what the runs came to; return what is wrong: money that is still held, or jobs without an end."""
    with psycopg.connect(place.cluster.local_address("postgres")) as connection:
        sessions = connection.execute("select content from triage.sessions").fetchall()
        jobs = connection.execute("select kind, outcome, attempt, settled_at is null from triage.jobs").fetchall()
    records = [Session.model_validate_json(content) for (content,) in sessions]
    ended = Counter(f"{kind} {outcome}" for kind, outcome, _, _ in jobs)
    again = sum(attempt > 1 for _, _, attempt, _ in jobs)
    unsure = sum(record.unsure_usd for record in records)
    _say(f"{dict(ended)}; {again} jobs were taken over; {model.runs} runs of the investigator were begun")
    _say(f"{dict(Counter(record.outcome for record in records))}; ${unsure:.2f} for calls that were cut off")
    held = [f"held: {record.session_id} {record.outcome}" for record in records if record.held_usd]
    return held + [f"no end: {kind}" for kind, outcome, _, is_open in jobs if outcome is None or is_open]


def _read_status(place: Place, ts: str) -> str:
    """Return where a question stands in the database."""
    with psycopg.connect(place.cluster.local_address("postgres")) as connection:
        row = connection.execute("select body from triage.threads where thread_id like %s", (f"%{ts}",)).fetchone()
        waits = connection.execute("select count(*) from triage.deliveries where taken_at is null").fetchone()
    thread = json.loads(row[0]) if row else {}
    return f"{thread.get('status', 'no thread')}; due {thread.get('due_at')}; {waits} deliveries wait"


def _own_replies(view: dict[str, Any], ts: str) -> list[str]:
    return [reply["text"] for reply in replies(view, ts)]


def _format(takeovers: list[float]) -> str:
    if not takeovers:
        return "none yet"
    half = statistics.median(takeovers)
    return f"{len(takeovers)} take-overs, half within {half:.1f} s, all within {max(takeovers):.1f} s"


def _say(line: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stdout.flush()
