"""A process that is killed while it writes to PostgreSQL."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parents[3]


def test_a_killed_process_loses_nothing_that_was_acknowledged(database_address: str) -> None:
    """What it was about to save is there once or not at all, in order and without a gap before what is there."""
    command = [sys.executable, "-m", "tests.adapters.postgresql.writer", database_address]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(200)]
        process.kill()
        lines += process.stdout.readlines()
    acknowledged = {tuple(line.split()) for line in lines if line.endswith("\n")}
    records = [int(number) for kind, number in acknowledged if kind == "record"]
    versions = [int(number) for kind, number in acknowledged if kind == "version"]
    with psycopg.connect(database_address) as connection:
        found = connection.execute(
            "select (record::json ->> 'n')::int from triage.journal_records order by id"
        ).fetchall()
        ((version, body),) = connection.execute(
            "select version, body::json ->> 'version' from triage.threads"
        ).fetchall()
    assert [number for (number,) in found] == [*range(len(found))]
    assert len(found) > max(records)
    assert max(versions) <= version <= max(versions) + 1
    assert int(body) == version
