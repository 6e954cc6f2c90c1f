"""Migrations on a real PostgreSQL, and the databases and addresses that are refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest

from bot.adapters.postgresql.address import describe_place, read_address
from bot.adapters.postgresql.migrations import Migration, list_migrations, migrate
from bot.adapters.postgresql.queue_schema import list_queue_migrations
from bot.errors import Misconfigured
from tests.postgresql import PASSWORD, Cluster

TWO = (
    Migration(1, "first", "create table triage.a (n int)"),
    Migration(2, "second", "alter table triage.a add m int"),
)


@pytest.fixture
def empty_database(cluster: Cluster) -> Iterator[str]:
    """The address of a database without anything."""
    cluster.run("create database fresh strategy file_copy")
    yield cluster.local_address("fresh")
    cluster.run("drop database fresh with (force)")


async def numbers(address: str, *, really: bool, migrations: tuple[Migration, ...] = TWO) -> list[int]:
    """The numbers of what a migration applies or lists."""
    applied = await migrate(address, really=really, migrations=migrations)
    return [migration.number for migration in applied if isinstance(migration, Migration)]


async def test_each_migration_is_applied_once(empty_database: str) -> None:
    """A dry run lists and changes nothing, and a later version applies only what it adds."""
    assert await numbers(empty_database, really=False) == [1, 2]
    assert await numbers(empty_database, really=True, migrations=TWO[:1]) == [1]
    assert await numbers(empty_database, really=False) == [2]
    assert await numbers(empty_database, really=True) == [2]
    assert await numbers(empty_database, really=True) == []


async def test_processes_that_migrate_at_once_apply_each_migration_once(empty_database: str) -> None:
    """The others wait for the first, and find nothing left."""
    applied = await asyncio.gather(*(numbers(empty_database, really=True) for _ in range(4)))
    assert sorted(number for part in applied for number in part) == [1, 2]


async def test_a_migration_that_fails_leaves_no_part_of_it(empty_database: str) -> None:
    """Those before it stay, and the next start tries it again."""
    broken = replace(TWO[1], sql="create table triage.b (n int); select no_such_function()")
    with pytest.raises(Misconfigured, match=r"fresh on .* cannot be used: function no_such_function\(\) does not"):
        await migrate(empty_database, really=True, migrations=(TWO[0], broken))
    assert await numbers(empty_database, really=False) == [2]
    with psycopg.connect(empty_database) as connection:
        assert connection.execute("select to_regclass('triage.b')").fetchone() == (None,)


async def test_a_database_of_another_program_is_refused(empty_database: str) -> None:
    """A newer one, and one that changed files have made, each with the next step."""
    await migrate(empty_database, really=True, migrations=TWO)
    with pytest.raises(Misconfigured, match="is newer than this Triage: it has migration 0002, and this program ends"):
        await migrate(empty_database, really=False, migrations=TWO[:1])
    with pytest.raises(Misconfigured, match="migrated by another file 0001 than this Triage has"):
        await migrate(empty_database, really=True, migrations=(replace(TWO[0], sql="select 1"), TWO[1]))


async def test_a_replica_of_the_version_before_may_start_on_a_newer_database(empty_database: str) -> None:
    """Migrations only add; what it knows itself must be as it knows it."""
    await migrate(empty_database, really=True, migrations=TWO)
    assert await migrate(empty_database, really=False, migrations=TWO[:1], may_be_newer=True) == ()
    changed = (replace(TWO[0], sql="select 1"),)
    with pytest.raises(Misconfigured, match="migrated by another file 0001 than this Triage has"):
        await migrate(empty_database, really=False, migrations=changed, may_be_newer=True)


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
async def test_a_database_of_another_encoding_is_refused(cluster: Cluster, encoding: str) -> None:
    """Messages of Slack are in all scripts."""
    cluster.run(f"create database latin encoding '{encoding}' template template0 strategy file_copy")
    with pytest.raises(Misconfigured, match=f"has the encoding {encoding}: create it with ENCODING 'UTF8'"):
        await migrate(cluster.local_address("latin"), really=True)
    cluster.run("drop database latin")


async def test_the_schema_of_this_program_is_complete(database_address: str) -> None:
    """The tests' database lacks nothing, and the files are numbered without a gap."""
    assert await migrate(database_address, really=False) == ()
    assert [migration.number for migration in list_migrations()] == [*range(1, len(list_migrations()) + 1)]


@pytest.mark.parametrize("epoch", ["null", "0"])
async def test_the_present_epoch_passes(database_address: str, epoch: str) -> None:
    """So does none, of a process that does not lead."""
    with psycopg.connect(database_address) as connection:
        assert connection.execute(f"select triage.check_epoch({epoch}) is null".encode()).fetchone() is not None


async def test_another_epoch_is_refused_also_where_it_changes_meanwhile(database_address: str) -> None:
    """A write that waited for the end of a take-over sees the new epoch."""
    with psycopg.connect(database_address) as taking, psycopg.connect(database_address) as old:
        taking.execute("select pg_advisory_xact_lock(7245501)")
        taking.execute("update triage.leadership set epoch = epoch + 1")
        check = asyncio.get_running_loop().run_in_executor(None, old.execute, "select triage.check_epoch(0)")
        waits = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
        while taking.execute(waits).fetchone() != (1,):
            taking.execute("select pg_sleep(0.01)")
        taking.commit()
        with pytest.raises(psycopg.Error) as refusal:
            await check
        assert refusal.value.sqlstate == "TF001"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "TRIAGE_DATABASE_URL is not set"),
        ("", "TRIAGE_DATABASE_URL is not set"),
        (f"mysql://u:{PASSWORD}@h/x", "TRIAGE_DATABASE_URL is not an address of PostgreSQL"),
        (f"host=h password={PASSWORD}", "TRIAGE_DATABASE_URL is not an address of PostgreSQL"),
        (f"postgresql://u:{PASSWORD}@h:5432", "TRIAGE_DATABASE_URL names no database"),
        (f"postgresql://u:{PASSWORD}@[::1/x", "TRIAGE_DATABASE_URL cannot be read"),
        (f"postgresql://u:{PASSWORD}@h/x?no=1", "TRIAGE_DATABASE_URL cannot be read"),
    ],
)
def test_an_address_that_is_none_is_refused(text: str | None, message: str) -> None:
    """The message says what is expected, and shows nothing of the value."""
    with pytest.raises(Misconfigured, match=f"^{message}: expected postgresql://USER:PASSWORD@HOST") as refusal:
        read_address(text)
    assert PASSWORD not in str(refusal.value)
    assert refusal.value.__cause__ is None


def test_a_place_has_neither_user_nor_password() -> None:
    """Messages and logs may show it."""
    place = describe_place(read_address(f"postgresql://ana:{PASSWORD}@db.example.com:6432/triage?sslmode=require"))
    assert place == "PostgreSQL database triage on db.example.com:6432"


async def test_a_database_that_does_not_let_us_in_is_named(postgresql: str) -> None:
    """By its host and its reason, never by the password."""
    for address, reason in (
        (postgresql.replace(PASSWORD, PASSWORD[::-1]), 'password authentication failed for user "shop"'),
        (postgresql.replace("/postgres", "/nothing"), 'database "nothing" does not exist'),
        ("postgresql://u:p@127.0.0.1:1/x", "Connection refused"),
    ):
        with pytest.raises(Misconfigured, match=f"on 127.0.0.1:.* cannot be used: .*{reason}") as refusal:
            await migrate(address, really=True)
        assert PASSWORD[::-1] not in str(refusal.value)


def test_no_migration_of_the_queue_breaks_the_version_before() -> None:
    """A later one named `post` must wait until all replicas are new: `migrate_queue` applies it with the others."""
    assert max(name for name in list_queue_migrations() if "_post_" in name).startswith("03.04.00_50_")
