"""Stop and pause at the queues: what is held, what is broken off, and what begins again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.models.effect import CheckFindings, Investigate, KeepNote
from bot.models.thread import Thread
from bot.models.thread_event import Approve, Due, HeldBack, NoteKept, NotFound
from bot.triage.controls import Controls, HaltResult, State
from tests.builders import OPERATOR, added, at, found, fresh, moved, validated
from tests.fakes import MemoryKept, MemoryStore, settle
from tests.fakes import orchestrator as build_orchestrator


class House:
    """An orchestrator whose effects last until the test ends them, and a state that the test sets."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.store = store or MemoryStore()
        self.started: list[Any] = []
        self.stubborn = False
        self.freed = asyncio.Event()
        self.controls = Controls(file=MemoryKept(), mutes_file=MemoryKept(), modes={})
        self.orchestrator = build_orchestrator(self.store, run=self._run, tell=self._tell, controls=self.controls)

    async def _run(self, thread: Thread, effect: Any) -> None:
        self.started.append(effect)
        try:
            await self.freed.wait()
        except asyncio.CancelledError:
            if not self.stubborn:
                raise
            await self.freed.wait()

    async def _tell(self, text: str) -> None:
        """Nobody listens."""

    async def asks(self, ts: str) -> str:
        """A question whose window has ended."""
        message = added(f"question {ts}?", ts=ts)
        await self.orchestrator.submit(message.message.home, message)
        await self.orchestrator.submit(message.message.home, Due(at=at(2), fresh=fresh()))
        await settle()
        return message.message.home


async def approved(store: MemoryStore, *, keeps_note: bool = False) -> str:
    """A document whose reply is approved and not posted; with `keeps_note` after its note is kept."""
    thread = moved(None, added())
    thread = moved(thread, Due(at=at(2), fresh=fresh()))
    thread = moved(thread, found(thread))
    thread = moved(thread, validated(thread))
    draft = thread.draft_pending
    assert draft is not None
    thread = moved(thread, Approve(at=at(5), fresh=fresh(), by=OPERATOR, draft_id=draft.draft_id, nonce=draft.nonce))
    await store.save(thread.evolve(keeps_note=keeps_note))
    return thread.thread_id


@pytest.mark.parametrize(("state", "checked"), [("paused", True), ("stopped", False)])
async def test_a_pause_lets_what_is_begun_go_on(state: State, checked: bool) -> None:
    """Its draft is checked and shown; a stop lets nothing go on."""
    house = House()
    home = await house.asks("1.1")
    house.controls.state = state
    await house.orchestrator.submit(home, found(house.store.saved[home]))
    await settle()
    assert any(isinstance(effect, CheckFindings) for effect in house.started) == checked
    assert (home in house.orchestrator.waiting) != checked
    await house.orchestrator.stop()


@pytest.mark.parametrize("state", ["paused", "stopped"])
async def test_what_is_asked_meanwhile_is_held_and_begins_at_release(state: State) -> None:
    """Once, with the run that its document names."""
    house = House()
    house.controls.state = state
    home = await house.asks("1.1")
    assert (house.started, house.orchestrator.waiting) == ([], {home})
    house.controls.state = "running"
    assert await house.orchestrator.release() == ()
    await settle()
    assert house.started == [Investigate(run_id=house.store.saved[home].run_id or "")]
    assert await house.orchestrator.release() == ()
    await settle()
    assert len(house.started) == 1
    await house.orchestrator.stop()


async def test_halt_ends_runs_and_posts() -> None:
    """Their documents stay as they were, and say what is to be done again."""
    store = MemoryStore()
    reply = await approved(store)
    house = House(store)
    await house.orchestrator.start()
    question = await house.asks("200.000001")
    before = dict(store.saved)
    house.controls.state = "stopped"
    assert await house.orchestrator.halt() == HaltResult(runs=(question,), posts=(reply,), unfinished=0)
    assert house.orchestrator.waiting == {question, reply}
    assert house.orchestrator.running == 0
    assert store.saved == before
    assert await house.orchestrator.halt() == HaltResult(runs=(), posts=(), unfinished=0)


async def test_a_start_while_stopped_posts_nothing_and_release_leaves_it_to_the_operator() -> None:
    """A crash between the stop and the card that says so is no way around the stop."""
    store = MemoryStore()
    reply = await approved(store)
    house = House(store)
    house.controls.state = "stopped"
    await house.orchestrator.start()
    await settle()
    assert house.started == []
    house.controls.state = "running"
    assert await house.orchestrator.release() == (reply,)
    await settle()
    assert house.started == []


async def test_a_run_that_does_not_end_is_said_to_be_late() -> None:
    """Nobody waits for it longer than a stop may take."""
    house = House()
    house.orchestrator.halting = 0.0
    house.stubborn = True
    home = await house.asks("1.1")
    house.controls.state = "stopped"
    assert await house.orchestrator.halt() == HaltResult(runs=(home,), posts=(), unfinished=1)
    house.freed.set()
    await settle()


async def test_a_reply_whose_note_is_being_kept_is_held_back_too() -> None:
    """The note is kept to its end, since it may stand on disk already; the reply is its operator's again."""
    store = MemoryStore()
    reply = await approved(store, keeps_note=True)
    house = House(store)
    await house.orchestrator.start()
    await settle()
    house.controls.state = "stopped"
    assert await house.orchestrator.halt() == HaltResult(runs=(), posts=(reply,), unfinished=0)
    await house.orchestrator.submit(reply, HeldBack(at=at(6), fresh=fresh()))
    house.controls.state = "running"
    assert await house.orchestrator.release() == ()
    await house.orchestrator.submit(reply, NoteKept(at=at(7), fresh=fresh(), path="notes/retries.md", problem=None))
    await settle()
    assert house.started == [KeepNote()]
    assert store.saved[reply].triage_file_path == "notes/retries.md"
    await house.orchestrator.submit(reply, NotFound(at=at(12), fresh=fresh()))
    assert (store.saved[reply].status, store.saved[reply].keeps_note) == ("pending-user", False)
    await house.orchestrator.stop()


async def test_a_start_while_stopped_keeps_no_note_either() -> None:
    """What was approved is for the operator to look at again."""
    store = MemoryStore()
    reply = await approved(store, keeps_note=True)
    house = House(store)
    house.controls.state = "stopped"
    await house.orchestrator.start()
    await settle()
    house.controls.state = "running"
    assert await house.orchestrator.release() == (reply,)
    await settle()
    assert house.started == []
