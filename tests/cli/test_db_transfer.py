"""`triage db import` and `export`: a home into a real database and back."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from bot.__main__ import main
from bot.adapters.clock import SystemClock
from bot.adapters.home import Home
from bot.adapters.postgresql.database import Database
from bot.adapters.postgresql.storage import DatabaseStorage
from bot.config.environment import DATABASE_URL
from bot.errors import Unreadable
from bot.models.conversation_record import ConversationRecord
from bot.wiring.file_storage import FileStorage
from tests.builders import T0, added, moved

if TYPE_CHECKING:
    from pathlib import Path

    from bot.ports.storage import Storage

FIRST, SECOND = moved(None, added(ts="100.000001")), moved(None, added(ts="200.000001"))
CLOSED = SECOND.evolve(status="closed", outcome="dismissed", due_at=None)
OPEN, BROKEN = FIRST.thread_id, FIRST.thread_id.replace("100.", "300.")
ODD = "half a pair: \ud83d, and \u0000"


async def fill(folder: Path) -> None:
    """Every kind of state, with an earlier part of a journal, odd text, and a damaged document."""
    storage = FileStorage(folder)
    store = storage.store(None)
    await store.save(FIRST)
    await store.save(CLOSED.evolve(card=CLOSED.card.evolve(drawn=CLOSED.revision)))
    (folder / "state" / f"{BROKEN}.json").write_text("{")
    (folder / "quarantine").mkdir()
    (folder / "quarantine" / "access.20260101T000000000000.json").write_text("not JSON")
    part = [{"n": n, "at": (T0 + timedelta(minutes=n)).isoformat()} for n in range(3)]
    packed = "".join(f"{json.dumps(record)}\n" for record in part).encode()
    (folder / "audit.20260101T000000000000.ndjson.gz").write_bytes(gzip.compress(packed))
    audit = storage.journal("audit", None)
    await audit.append({"n": 3, "text": ODD, "at": (T0 + timedelta(minutes=3)).isoformat()})
    await audit.close()
    with (folder / "audit.ndjson").open("a") as file:
        file.write('{"n": 4, "cut')
    await storage.json_file("muted").write({"a": ODD})
    await storage.conversations.save(ConversationRecord(conversation=OPEN, saved_at=T0))
    (folder / "sessions").mkdir()
    (folder / "sessions" / "20260101-x.json").write_text('{"session_id": "damaged"}')
    await storage.task_files.save("limit", "task.json", {"threadId": OPEN})
    for line in ("one", "", "three"):
        await storage.task_files.append("limit", "journal.md", line, head="# Limit\n\nof retries")
    await storage.notes.change("shop", "limits.md", lambda _: "five")
    await storage.notes.change("shop", "limits.md", lambda _: "six")


async def read(storage: Storage) -> dict[str, Any]:
    """What a bot finds."""
    store = storage.store(None)
    with pytest.raises(Unreadable):
        await store.load(BROKEN)
    return {
        "threads": [entry async for entry in store.threads()],
        "open": await store.load(OPEN),
        "audit": [record async for record in storage.journal("audit", None).records()],
        "muted": await storage.json_file("muted").read_whole(),
        "conversations": await storage.conversations.list_all(),
        "journal": await storage.task_files.tail("limit", "journal.md", 9),
        "notes": [await storage.notes.read("shop", "limits.md", previous=previous) for previous in (False, True)],
    }


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but the lock."""
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.fixture
def terminal(database_address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder without settings, and the address of an empty database in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "umask", lambda mask: 0)
    return tmp_path


def triage(*words: str, address: str) -> int:
    """The exit code of a command line."""
    os.environ[DATABASE_URL] = address
    return main(["db", *words])


async def test_a_home_goes_into_the_database_and_back(
    terminal: Path, database_address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bot finds the same in all three; what is damaged is named and stays as it is."""
    home, back = terminal / "home", terminal / "back"
    Home(home)
    await fill(home)
    expected, before = await read(FileStorage(home)), contents(home)
    code = await asyncio.to_thread(triage, "import", str(home), address=database_address)
    told, errors = capsys.readouterr()
    assert (code, errors) == (0, "")
    assert f"{BROKEN}.json: it is corrupted" in told
    assert "audit.ndjson:2: not JSON" in told
    assert "threads: 3\n" in told
    assert "counts and digests agree" in told
    assert contents(home) == before
    database = Database(database_address, clock=SystemClock())
    await database.open()
    try:
        assert await read(DatabaseStorage(database)) == expected
    finally:
        await database.close()
    assert await asyncio.to_thread(triage, "export", str(back), address=database_address) == 0
    assert await read(FileStorage(back)) == expected
    after = contents(back)
    assert [name for name in before if before[name] != after.get(name)] == [
        name for name in before if name.startswith("audit") or BROKEN in name
    ]
    assert (
        after["audit.ndjson"]
        == gzip.decompress(before["audit.20260101T000000000000.ndjson.gz"]) + before["audit.ndjson"] + b"\n"
    )
    assert await asyncio.to_thread(triage, "import", str(home), address=database_address) == 2
    assert "is not empty: triage.conversations has rows" in capsys.readouterr().err
    assert await asyncio.to_thread(triage, "export", str(back), address=database_address) == 2
    assert "expected a folder that is empty" in capsys.readouterr().err


async def test_nothing_is_transferred_beside_a_bot(
    terminal: Path, database_address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither one of the home nor a replica that leads."""
    home = Home(terminal / "home")
    await home.lock()
    assert await asyncio.to_thread(triage, "import", str(home.path), address=database_address) == 2
    assert "another Triage" in capsys.readouterr().err
    home.unlock()
    with psycopg.connect(database_address) as connection:
        connection.execute(
            "update triage.leadership set holder = 'a/1', beat_at = clock_timestamp() + interval '1 hour'"
        )
    for words in (("import", str(home.path)), ("export", str(terminal / "new"))):
        assert await asyncio.to_thread(triage, *words, address=database_address) == 2
        assert "(a/1): stop all replicas" in capsys.readouterr().err


async def test_bytes_that_no_database_takes_are_named(
    terminal: Path, database_address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is imported."""
    home = Home(terminal / "home")
    home.audit.write_bytes(b'{"n": 1}\n\xff\n')
    assert await asyncio.to_thread(triage, "import", str(home.path), address=database_address) == 2
    assert "audit.ndjson:2: expected text in UTF-8" in capsys.readouterr().err
    with psycopg.connect(database_address) as connection:
        assert connection.execute("select count(*) from triage.journal_records").fetchone() == (0,)
