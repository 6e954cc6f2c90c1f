"""History of changes of status: kept for a time, and removed by it."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.adapters.journal import NdjsonJournal
from bot.adapters.purge import purge, purge_parts_of
from bot.models.purge_criterion import Criterion, is_older
from bot.models.service_state import ServiceState
from bot.triage.saved_facts import read_facts
from tests.builders import T0
from tests.fakes import MemoryKept
from tests.health.service_bench import Bench


def line(days: float) -> dict[str, str]:
    """A change of status, so many days after the start."""
    return {"service": "shop", "status": "down", "at": (T0 + timedelta(days=days)).isoformat()}


async def test_old_changes_are_removed_and_new_ones_stay(tmp_path: Path) -> None:
    """From the parts of this journal alone."""
    history, other = (
        NdjsonJournal(tmp_path / "health.ndjson", stop=None),
        NdjsonJournal(tmp_path / "a.ndjson", stop=None),
    )
    for journal in (history, other):
        for days in (0, 1, 9):
            await journal.append(line(days))
    before = T0 + timedelta(days=5)
    for journal in (history, other):
        assert await journal.set_aside_if(lambda oldest: is_older(oldest, before))
    assert purge_parts_of(tmp_path / "health.ndjson", before) == 2
    assert [record["at"] async for record in history.records()] == [line(9)["at"]]
    assert len([record async for record in other.records()]) == 3
    assert not await history.set_aside_if(lambda oldest: is_older(oldest, before))
    await history.close()
    await other.close()


async def test_a_purged_thread_leaves_no_incident(tmp_path: Path) -> None:
    """Its facts are gone; states of services name no thread and stay."""
    bench = await Bench(tmp_path / "home").start()
    await bench.story("UU")
    name = (await bench.thread()).thread_id
    await bench.stop()
    purge(bench.folder, Criterion(thread_id=name), really=True)
    assert json.loads((bench.folder / "incidents.json").read_text()) == {}
    assert [*json.loads((bench.folder / "services.json").read_text())] == ["shop"]
    assert not [path for path in bench.folder.rglob("*.json") if name.encode() in path.read_bytes()]


class StuckFile(MemoryKept):
    """A damaged file that cannot be moved."""

    async def read_whole(self) -> dict[str, Any]:
        """Return content of an unknown form."""
        return {"shop": {"color": "red"}}

    async def set_aside(self) -> Path:
        """Refuse."""
        raise OSError(30, "Read-only file system")


async def test_a_damaged_file_that_cannot_be_moved_is_told() -> None:
    """It is overwritten with the next save."""
    told: list[str] = []
    assert await read_facts(StuckFile(), ServiceState, told.append, subject="It", consequence="Go on.") == {}
    (notice,) = told
    assert "a value has an unknown form" in notice
    assert "could not be moved" in notice
