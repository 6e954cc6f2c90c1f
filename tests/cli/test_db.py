"""`triage db upgrade` and the checks of the database, on a real server."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from bot.__main__ import main
from bot.cli.doctor_database import judge
from bot.config.environment import DATABASE_URL, Environment
from bot.config.settings import Settings
from bot.models.database_status import DatabaseStatus
from bot.wiring.storage import open_storage
from tests.postgresql import PASSWORD

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.postgresql import Cluster

STATUS = DatabaseStatus(
    place="the database", version="17.0", latency=0.001, connections=3, max_connections=100, lacking=()
)


@dataclass(frozen=True)
class Terminal:
    """A command line in this process, in an empty folder."""

    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def triage(self, *words: str, address: str) -> tuple[int, str, str]:
        """Exit code, output and errors of a command with this address."""
        self.monkeypatch.setenv(DATABASE_URL, address)
        code = main(words)
        assert DATABASE_URL not in os.environ or words[0] == "doctor"
        return (code, *self.capsys.readouterr())


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Terminal:
    """One whose settings name the database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRIAGE_HOME", str(tmp_path / "home"))
    (tmp_path / "triage.yml").write_text("storage: postgresql\n")
    return Terminal(monkeypatch, capsys)


@pytest.fixture
def fresh(cluster: Cluster) -> Iterator[str]:
    """The address of a database without a schema, over TCP."""
    cluster.run("create database fresh")
    yield cluster.address.replace("/postgres", "/fresh")
    cluster.run("drop database fresh with (force)")


def test_an_upgrade_is_shown_and_then_made_once(fresh: str, terminal: Terminal) -> None:
    """A second one has nothing to do, and the doctor names the server."""
    _, shown, _ = terminal.triage("db", "upgrade", "--dry-run", address=fresh)
    assert shown.startswith("missing  0001 ")
    _, made, _ = terminal.triage("db", "upgrade", address=fresh)
    assert made == shown.replace("missing", "applied")
    assert terminal.triage("db", "upgrade", address=fresh) == (0, "All migrations are applied.\n", "")
    _, output, errors = terminal.triage("doctor", "--json", address=fresh)
    checks = {check["name"]: check["detail"] for check in json.loads(output)["checks"]}
    assert " on 127.0.0.1:" in checks["database"]
    assert checks["migrations"] == "all are applied"
    assert checks["leader"].startswith("no replica leads")
    assert checks["deliveries"] == "0 deliveries waiting"
    assert PASSWORD not in output + errors


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("s3cret", "wrong"), "password authentication failed"),
        (("/postgres", "/nowhere"), 'database "nowhere" does not exist'),
        (("postgresql://", "mysql://"), "is not an address of PostgreSQL"),
    ],
)
def test_a_database_that_cannot_be_used_is_said(
    cluster: Cluster, terminal: Terminal, change: tuple[str, str], says: str
) -> None:
    """In one line without the password, with the exit code of a start that was not possible."""
    code, _, errors = terminal.triage("db", "upgrade", address=cluster.address.replace(*change))
    assert code == 2
    assert says in errors
    assert PASSWORD not in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({}, []),
        ({"latency": 0.5}, ["database"]),
        ({"connections": 90}, ["connections"]),
        ({"lacking": ("0009 later",)}, ["migrations"]),
        ({"leader": "a/1", "beat_age": 0.4}, []),
        ({"leader": "a/1", "beat_age": 60.0}, ["leader"]),
        ({"waiting_jobs": 3, "oldest_job": 2.0}, []),
        ({"waiting_jobs": 3, "oldest_job": 90.0}, ["jobs"]),
    ],
)
def test_what_is_wrong_with_a_server_is_told(changes: dict[str, object], wrong: list[str]) -> None:
    """Distance, connections, migrations, a leader that is gone, and jobs without a worker."""
    status = DatabaseStatus(**{**vars(STATUS), **changes})
    assert [check.name for check in judge(status) if check.ok is False] == wrong


async def test_commands_beside_the_bot_read_and_write_the_database(
    database_address: str, terminal: Terminal, tmp_path: Path
) -> None:
    """Metrics count its journals; a purge by user is complete; neither makes a file of a journal in the home."""
    async with open_storage(
        Settings(storage="postgresql"), Environment(triage_database_url=database_address), tmp_path / "home"
    ) as storage:
        replies = storage.journal("replies", None)
        record = {"thread_id": "T1-C1-1.1", "posted_at": datetime.now(UTC).isoformat(), "asker": "U0ANA"}
        await replies.append(record)
    code, output, errors = await asyncio.to_thread(terminal.triage, "metrics", "--json", address=database_address)
    assert (code, errors, json.loads(output)["replies"]) == (0, "", 1)
    code, output, _ = await asyncio.to_thread(
        terminal.triage, "purge", "--user", "U0ANA", "--yes", address=database_address
    )
    assert code == 0
    assert output.startswith("Purged 1 record and 0 threads from PostgreSQL database triage")
    code, output, _ = await asyncio.to_thread(terminal.triage, "metrics", "--json", address=database_address)
    assert json.loads(output)["replies"] == 0
    assert [*(tmp_path / "home").glob("*.ndjson")] == []
