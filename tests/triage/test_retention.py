"""Retention beside the writers: what is over age goes, what is written meanwhile stays."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.documents import Documents
from bot.adapters.home import Home
from bot.adapters.journal import NdjsonJournal
from bot.adapters.sessions import SessionFiles
from bot.adapters.tasks import TaskFolders
from bot.models.purge_criterion import is_older
from bot.models.task_manifest import manifest
from bot.models.thread import Thread
from bot.models.thread_event import Dismiss
from bot.triage.retention import Retention
from bot.wiring.file_storage import FileStorage
from tests.agents.test_ledger import session
from tests.builders import OPERATOR, T0, added, fresh, moved
from tests.decide.ordered import opening, order
from tests.fakes import HandClock, settle
from tests.fakes import orchestrator as build_orchestrator

DAY = timedelta(days=1)


def record(days: float, **said: Any) -> dict[str, Any]:
    """A record from so many days ago."""
    return {"kind": "message", "received_at": (T0 - days * DAY).isoformat(), **said}


def closed(ts: str, days: float) -> Thread:
    """A thread that was dismissed so many days ago."""
    thread = moved(None, added(ts=ts))
    press = Dismiss(
        at=T0 - days * DAY,
        fresh=fresh(),
        by=OPERATOR,
        draft_id=f"{thread.thread_id}/0",
        nonce=thread.card.nonce,
    )
    return moved(thread, press)


class Rig:
    """A home with an event journal and a store, and the periodic work of a bot that keeps ten days."""

    def __init__(self, path: Path) -> None:
        self.home = Home(path)
        self.clock = HandClock()
        self.events = NdjsonJournal(self.home.events, stop=None)
        self.store = Documents(self.home.state, stop=None)

        async def tell(text: str) -> None:
            raise AssertionError(text)

        self.orchestrator = build_orchestrator(self.store, tell=tell)

    async def retain(self) -> None:
        """One run of the retention."""
        retention = Retention(
            keep=10 * DAY,
            clock=self.clock,
            store=self.orchestrator.store,
            journals=(self.events,),
            is_over=is_older,
            purge_parts=FileStorage(self.home.path).purge_parts,
            open_threads=self.orchestrator.open_threads,
        )
        await retention.run()

    async def days_left(self) -> list[Any]:
        """What the journal still holds."""
        return [record["n"] async for record in self.events.records()]


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    """One with nothing in it."""
    return Rig(tmp_path)


async def test_old_records_go_and_newer_ones_stay(rig: Rig) -> None:
    """The live file is set aside for it, once; what is appended meanwhile and later stands in the journal."""
    for n in (12, 11, 10.5, 9, 1):
        await rig.events.append(record(n, n=n))
    _, appended = await asyncio.gather(rig.retain(), rig.events.append(record(0, n=0)))
    assert appended is None
    assert await rig.days_left() == [9, 1, 0]
    parts = sorted(path.name for path in rig.home.path.glob("events.*.gz"))
    await rig.retain()
    assert sorted(path.name for path in rig.home.path.glob("events.*.gz")) == parts
    await rig.events.append(record(0, n="after"))
    assert await rig.days_left() == [9, 1, 0, "after"]
    await rig.events.close()


async def test_a_part_of_which_nothing_stays_is_removed(rig: Rig) -> None:
    """Packed or not; what has another name, such as the local workspace's own record, is left alone."""
    old = (json.dumps(record(400, n=1)) + "\n").encode()
    (rig.home.path / "events.20250101T000000000000.ndjson.gz").write_bytes(gzip.compress(old))
    (rig.home.path / "replies.20250101T000000000000.ndjson").write_bytes(old)
    (rig.home.path / "workspace.ndjson").write_bytes(old)
    await rig.retain()
    assert [path.name for path in rig.home.path.iterdir() if path.is_file()] == ["workspace.ndjson"]


async def test_a_damaged_part_stops_nothing(rig: Rig) -> None:
    """It stays, the log names it, and the others are purged."""
    damaged = rig.home.path / "audit.20250101T000000000000.ndjson.gz"
    damaged.write_bytes(b"no gzip")
    (rig.home.path / "events.20250101T000000000000.ndjson").write_text(json.dumps(record(400)) + "\n")
    await rig.retain()
    assert damaged.exists()
    assert not list(rig.home.path.glob("events.*"))


async def test_only_old_closed_threads_go(rig: Rig) -> None:
    """An open one stays, however old, and so do a younger one and a file that cannot be read."""
    old, young, still_open = closed("100.000001", 11), closed("101.000001", 9), moved(None, added(ts="102.000001"))
    for thread in (old, young, still_open.evolve(last_event_at=T0 - 50 * DAY)):
        rig.orchestrator.open_threads.note(await rig.store.save(thread))
    unreadable = rig.home.state / "T0SANDBOX-C0HELP-99.000001.json"
    unreadable.write_text("{")
    assert rig.orchestrator.is_asker(old.thread_id, "U0ANA")
    await rig.retain()
    left = [young.thread_id, still_open.thread_id, unreadable.stem]
    assert await rig.store.thread_ids() == sorted(left)
    assert [rig.orchestrator.is_asker(t.thread_id, "U0ANA") for t in (old, young, still_open)] == [False, True, True]


async def test_a_task_that_others_depend_on_stays(rig: Rig) -> None:
    """However old it is: they read its result."""
    old = closed("100.000001", 11)
    rig.orchestrator.open_threads.note(await rig.store.save(old))
    dependent = moved(None, opening(order(depends_on=(old.thread_id,)), ts="109.000001"))
    rig.orchestrator.open_threads.note(await rig.store.save(dependent))
    await rig.retain()
    assert await rig.store.thread_ids() == [old.thread_id, dependent.thread_id]


async def test_one_closed_thread_is_removed(rig: Rig) -> None:
    """Whatever its age; an open one stays, and what is gone is gone."""
    young, still_open = closed("101.000001", 0), moved(None, added(ts="102.000001"))
    for thread in (young, still_open):
        await rig.store.save(thread)
    ids = (young.thread_id, young.thread_id, still_open.thread_id)
    assert [await rig.store.remove(thread_id) for thread_id in ids] == [True, True, False]
    assert await rig.store.thread_ids() == [still_open.thread_id]


async def test_a_message_that_meets_the_removal_of_its_thread_is_not_lost(rig: Rig) -> None:
    """The document goes between its loading and its saving: the message is decided on again, as a new question."""
    old = await rig.store.save(closed("100.000001", 11))
    load = rig.store.load

    async def load_and_lose(thread_id: str) -> Thread | None:
        thread = await load(thread_id)
        await rig.store.remove_closed(T0)
        return thread

    rig.store.load = load_and_lose  # type: ignore[method-assign]  # the moment cannot be met otherwise
    assert await rig.orchestrator.add(old.thread_id, added("so?", ts="900.000001", root="100.000001"))
    await settle()
    after = await load(old.thread_id)
    assert after is not None
    assert (after.status, after.question) == ("collecting", "so?")


async def test_what_lies_in_quarantine_goes_with_its_own_age(tmp_path: Path) -> None:
    """Nobody can read when it was said; the operator has had its time to look."""
    (tmp_path / "quarantine").mkdir()
    for name, days in (("old", 11), ("young", 9)):
        path = tmp_path / "quarantine" / f"{name}.json"
        path.write_text("{")
        at = (T0 - days * DAY).timestamp()
        os.utime(path, (at, at))
    await FileStorage(tmp_path).purge_parts(T0 - 10 * DAY)
    assert [path.name for path in (tmp_path / "quarantine").iterdir()] == ["young.json"]


async def test_tasks_and_sessions_go_with_their_age(rig: Rig) -> None:
    """A task whose thread is still there stays; one whose thread has just gone goes with it."""
    old, young, still_open = closed("100.000001", 11), closed("101.000001", 9), moved(None, added(ts="102.000001"))
    tasks = TaskFolders(rig.home.tasks)
    for thread, days in ((old, 11), (young, 9), (still_open, 50)):
        await rig.store.save(thread)
        await tasks.save(thread.task, "task.json", manifest(thread))
        at = (T0 - days * DAY).timestamp()
        os.utime(rig.home.tasks / thread.task, (at, at))
    for number, days in enumerate((11, 9)):
        kept = session(number, started_at=T0 - days * DAY, outcome="answered")
        await SessionFiles(rig.home.sessions).save(kept)
    await rig.retain()
    left = {path.name for path in rig.home.tasks.iterdir()}
    assert left == {young.task, still_open.task}
    assert len(list(rig.home.sessions.iterdir())) == 1
