"""Storage of the settings: files without a driver, and a database with the folders of one machine."""

from __future__ import annotations

import subprocess
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest

from bot.config.environment import Environment
from bot.config.settings import Settings
from bot.errors import Misconfigured
from bot.models.purge_criterion import Criterion
from bot.wiring.storage import open_storage
from tests.builders import ASKER, added, moved

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.ports.storage import Storage
    from tests.postgresql import Cluster

SETTINGS = Settings(storage="postgresql")


@asynccontextmanager
async def opened(address: str | None, home: Path) -> AsyncIterator[Storage]:
    """The storage of a machine with this home."""
    async with open_storage(SETTINGS, Environment(triage_database_url=address), home) as storage:
        yield storage


def test_a_bot_on_files_imports_nothing_of_a_database() -> None:
    """Neither its driver nor what is written for it."""
    program = (
        "import sys, bot.cli.run, bot.cli.roles, bot.cli.doctor, bot.cli.metrics, bot.wiring.app\n"
        "import bot.wiring.file_storage\n"
        "names = ('psycopg', 'procrastinate', 'bot.adapters.postgresql')\n"
        "print([name for name in sys.modules if name.startswith(names)])"
    )
    done = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


async def test_a_missing_driver_is_told_with_its_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a clone and for a wheel."""
    monkeypatch.setitem(sys.modules, "psycopg_pool", None)
    with pytest.raises(Misconfigured, match=r"in a clone: .*'\.\[postgresql\]', for a wheel: pip install"):
        async with opened("postgresql://db/triage", tmp_path):
            pass


async def test_a_database_without_its_schema_is_told_with_the_next_step(cluster: Cluster, tmp_path: Path) -> None:
    """And a missing address with its form."""
    cluster.run("create database bare")
    with pytest.raises(Misconfigured, match=r"lacks migrations, from 0001 .*: run `triage db upgrade`"):
        async with opened(cluster.local_address("bare"), tmp_path):
            pass
    with pytest.raises(Misconfigured, match=r"TRIAGE_DATABASE_URL is not set: expected postgresql://"):
        async with opened(None, tmp_path):
            pass


async def test_notes_are_copied_to_the_machine_that_searches_them(database_address: str, tmp_path: Path) -> None:
    """A change at once; at its start what another machine has changed."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    async with opened(database_address, tmp_path / "one") as one, opened(database_address, tmp_path / "two") as two:
        await one.notes.change("shop", "a.md", lambda _: "first")
        await one.notes.change("old", "a.md", lambda _: "gone soon")
        assert (tmp_path / "one" / "notes" / "shop" / "a.md").read_text() == "first"
        await two.begin()
        assert (tmp_path / "two" / "notes" / "old" / "a.md").exists()
        await one.notes.change("shop", "a.md", lambda previous: f"{previous}, second")
        await one.notes.change("shop", "b.md", lambda _: "new")
        await one.notes.remove_all("old")
        assert not (tmp_path / "one" / "notes" / "old" / "a.md").exists()
        await two.begin()
        copies = {path.name: path.read_text() for path in (tmp_path / "two" / "notes").glob("*/[!.]*")}
        assert copies == {"a.md": "first, second", "b.md": "new"}


async def test_a_purge_takes_the_database_and_the_folders_of_the_machine(database_address: str, tmp_path: Path) -> None:
    """By user; a folder of another thread stays, and by age that of a thread that is still there."""
    mine, other = moved(None, added(ts="100.000001")), moved(None, added(ts="200.000001"))
    other = other.evolve(**dict.fromkeys(("original_sender_id",), "U0OTHER"), messages=())
    runs = tmp_path / "escalations"
    async with opened(database_address, tmp_path) as storage:
        store = storage.store(None)
        for thread in (mine, other):
            await store.save(thread)
            (runs / thread.thread_id).mkdir(parents=True)
        await storage.task_files.save(mine.task, "task.json", {"threadId": mine.thread_id})
        await storage.purge_parts(thread.last_event_at.replace(year=2200))
        assert len([*runs.iterdir()]) == 2
        counted = await storage.purge(Criterion(user=ASKER), really=False)
        assert (counted.documents, len(await store.thread_ids())) == (1, 2)
        async with storage.alone():
            await storage.purge(Criterion(user=ASKER), really=True)
        assert await store.thread_ids() == [other.thread_id]
        assert [path.name for path in runs.iterdir()] == [other.thread_id]
        assert await storage.task_files.names() == []


async def test_nothing_is_alone_beside_a_leader(
    database_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told which database, and what to do."""
    monkeypatch.setattr("bot.adapters.postgresql.storage._FREE_WITHIN", 0.01)
    with psycopg.connect(database_address) as connection:
        connection.execute("update triage.leadership set holder = 'a/1', beat_at = 'infinity'")
    async with opened(database_address, tmp_path) as storage:
        with pytest.raises(Misconfigured, match=r"a bot runs on the PostgreSQL database triage .*: stop all replicas"):
            async with storage.alone():
                pass
