"""Transactions on a real PostgreSQL whose connections break, which restarts, and whose leader changes."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest

from bot.adapters.clock import SystemClock
from bot.adapters.postgresql.commit_proofs import Connection
from bot.adapters.postgresql.database import Database
from bot.errors import Fenced, Misconfigured, RetryLater, TriageError
from tests.adapters.postgresql.cut import CuttingProxy, Side, run_proxy
from tests.fakes import Stops
from tests.postgresql import DATABASE, PASSWORD, Cluster

COMMIT = "commit\0"
"""The statement as it is sent, which the number of the last commit is not."""


class Lead:
    """A leader's number."""

    def __init__(self, epoch: int | None) -> None:
        self.epoch = epoch


@asynccontextmanager
async def opened(address: str, **more: Any) -> AsyncIterator[Database]:
    """A pool until the end of the block."""
    database = Database(address, clock=SystemClock(), **more)
    await database.open()
    try:
        yield database
    finally:
        await database.close()


@pytest.fixture
def marks(cluster: Cluster, database_address: str) -> Iterator[str]:
    """The address of a database with a table in which each transaction leaves a row."""
    cluster.run("create table if not exists public.marks (mark text); truncate public.marks", DATABASE)
    yield database_address
    cluster.run("drop table public.marks", DATABASE)


@pytest.fixture
async def proxy(cluster: Cluster, marks: str) -> AsyncIterator[CuttingProxy]:
    """A proxy before that database."""
    async with run_proxy(str(cluster.folder), cluster.port, DATABASE) as running:
        yield running


async def add_mark(connection: Connection) -> str:
    """Leave a row."""
    row = await (await connection.execute("insert into public.marks values ('one') returning mark")).fetchone()
    return str(row and row[0])


def count_marks(address: str) -> int:
    """The number of rows that are committed."""
    with psycopg.connect(address) as connection:
        row = connection.execute("select count(*) from public.marks").fetchone()
    return int(row[0]) if row else 0


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize("statement", ["begin", "insert into public.marks", COMMIT], ids=["begin", "insert", "commit"])
async def test_a_transaction_is_applied_once_wherever_its_connection_breaks(
    marks: str, proxy: CuttingProxy, statement: str, side: Side
) -> None:
    """It is run again if it was not committed, and looked up after a cut during its commit."""
    async with opened(proxy.address) as database:
        proxy.cut(statement, side)
        assert await database.write(add_mark) == "one"
        assert count_marks(marks) == 1


async def test_many_commits_in_doubt_at_once_are_all_resolved(marks: str, proxy: CuttingProxy) -> None:
    """Looking them up waits for no connection that is itself in doubt."""
    async with opened(proxy.address, size=2) as database:
        for number in range(6):
            proxy.cut(COMMIT, "after" if number % 2 else "before")
        await asyncio.gather(*(database.write(add_mark) for _ in range(6)))
        assert count_marks(marks) == 6


@pytest.mark.parametrize("side", ["before", "after"])
async def test_a_single_transaction_says_whether_it_was_committed(marks: str, proxy: CuttingProxy, side: Side) -> None:
    """Without an error it is; with `RetryLater` it is not."""
    async with opened(proxy.address) as database:
        proxy.cut(COMMIT, side)
        problems = []
        try:
            async with database.transaction() as connection:
                await add_mark(connection)
        except RetryLater as problem:
            problems.append(problem)
        assert (count_marks(marks), len(problems)) == ((1, 0) if side == "after" else (0, 1))


@pytest.mark.parametrize(
    "how",
    [pytest.param(signal.SIGINT, id="fast", marks=pytest.mark.long), pytest.param(signal.SIGQUIT, id="immediate")],
)
async def test_reads_and_writes_go_on_after_a_restart_of_the_server(cluster: Cluster, marks: str, how: int) -> None:
    """Nothing that was acknowledged is lost, nothing is applied twice, and nobody is told."""
    acknowledged, is_under_way = 0, asyncio.Event()

    async def keep_writing(database: Database) -> None:
        nonlocal acknowledged
        for _ in range(40):
            await database.write(add_mark)
            acknowledged += 1
            if acknowledged == 20:
                is_under_way.set()

    async with opened(marks) as database:
        database.stop = stop = Stops()
        writers = [asyncio.create_task(keep_writing(database)) for _ in range(3)]
        await is_under_way.wait()
        await asyncio.to_thread(cluster.stop, how)
        await asyncio.to_thread(cluster.start)
        await asyncio.gather(*writers)
        assert count_marks(marks) == acknowledged == 120
        assert stop.problems == []


async def test_a_server_that_stays_away_stops_the_process(cluster: Cluster, marks: str) -> None:
    """Reads and writes end with the reason, a record that may be refused is refused, and nothing is taken after it."""
    async with opened(marks, patience=0.1) as database:
        database.stop = stop = Stops()
        cluster.stop(signal.SIGINT)
        try:
            with pytest.raises(RetryLater, match=r"PostgreSQL database triage on .* does not answer for 0 s"):
                await database.write(add_mark, may_refuse=True)
            assert stop.problems == []
            with pytest.raises(TriageError, match=r"does not answer for 0 s: .*; Triage must stop"):
                await database.read(add_mark)
        finally:
            cluster.start()
        with pytest.raises(TriageError, match="must stop"):
            await database.write(add_mark)
        assert len(stop.problems) == 1
    assert count_marks(marks) == 0


async def test_a_leader_that_is_replaced_saves_nothing_more(marks: str) -> None:
    """Its process ends; a standby saves nothing at all, and a tool needs no number."""
    async with opened(marks, fence=Lead(0)) as database, opened(marks) as tool, opened(marks, fence=Lead(None)) as idle:
        database.stop = stop = Stops()
        await database.write(add_mark)
        async with tool.transaction() as connection:
            await connection.execute("update triage.leadership set epoch = epoch + 1")
        for _ in range(2):
            with pytest.raises(Fenced, match="another replica leads"):
                await database.write(add_mark)
        with pytest.raises(Fenced, match="another replica leads"):
            async with database.transaction(fenced=True) as connection:
                await add_mark(connection)
        assert [type(problem) for problem in stop.problems] == [Fenced]
        with pytest.raises(Fenced, match="does not lead"):
            await idle.write(add_mark)
        await tool.write(add_mark)
    assert count_marks(marks) == 2


async def test_an_error_of_the_caller_leaves_nothing(marks: str) -> None:
    """It comes out as it is, and the connection is usable."""

    async def fail(connection: Connection) -> None:
        await add_mark(connection)
        raise KeyError("n")

    async with opened(marks, size=1) as database:
        with pytest.raises(KeyError):
            await database.write(fail)
        with pytest.raises(TriageError, match=r'on .*: relation "nothing" does not exist'):
            await database.read(lambda connection: connection.execute("select * from nothing"))
        await database.write(add_mark)
    assert count_marks(marks) == 1


async def test_a_database_that_cannot_be_used_is_refused_at_the_start(postgresql: str) -> None:
    """At once, with the reason and without the password."""
    for address, reason in (
        (postgresql.replace(PASSWORD, PASSWORD[::-1]), "password authentication failed"),
        ("postgresql://u:p@127.0.0.1:1/x", "Connection refused"),
    ):
        with pytest.raises(Misconfigured, match=f"cannot be used: .*{reason}") as refusal:
            await Database(address, clock=SystemClock()).open()
        assert PASSWORD[::-1] not in str(refusal.value)


async def test_no_log_and_no_repr_shows_the_password(postgresql: str, caplog: pytest.LogCaptureFixture) -> None:
    """Not even at the level of debugging."""
    caplog.set_level(0)
    async with opened(postgresql, patience=0) as database:
        with pytest.raises(TriageError):
            await database.read(lambda connection: connection.execute("selec"))
        with pytest.raises(TriageError):
            await database.read(lambda connection: connection.execute("select pg_terminate_backend(pg_backend_pid())"))
        assert PASSWORD not in caplog.text + repr(database) + repr(database._pool)


ADD = "insert into public.marks values (%(mark)s) returning mark"


@pytest.mark.parametrize("side", ["before", "after"])
async def test_a_single_statement_is_applied_once_wherever_its_connection_breaks(
    marks: str, proxy: CuttingProxy, side: Side
) -> None:
    """In one message; where its answer was lost, only that is known."""
    async with opened(proxy.address) as database:
        proxy.cut("insert into public.marks", side)
        assert await database.execute(ADD, {"mark": "one"}) == (None if side == "after" else [("one",)])
        assert await database.execute(ADD, {"mark": "two"}) == [("two",)]
        assert count_marks(marks) == 2


async def test_a_statement_that_comes_late_is_refused(marks: str) -> None:
    """Its process has looked it up meanwhile, and applied it over another connection."""
    async with opened(marks) as database:
        numbers = []
        async with database.transaction() as connection:
            numbers.append((connection.number, connection.commits))
        assert await database._is_committed(*numbers[0])
        with pytest.raises(TriageError, match="connections_closed"):
            async with database.transaction() as connection:
                await add_mark(connection)
    assert count_marks(marks) == 0


async def test_a_single_statement_of_an_earlier_leader_is_refused(marks: str) -> None:
    """As every transaction of it."""
    async with opened(marks, fence=Lead(1)) as database:
        with pytest.raises(Fenced, match="another replica leads"):
            await database.execute(ADD, {"mark": "one"})
    assert count_marks(marks) == 0


async def test_a_role_that_may_only_read_is_told(cluster: Cluster, database_address: str) -> None:
    """Before it waits for a lease that it can never take."""
    cluster.run("create role reader login")
    try:
        for rights in (
            "usage on schema triage",
            "usage on schema procrastinate",
            "select on all tables in schema triage",
        ):
            cluster.run(f"grant {rights} to reader", DATABASE)
        async with opened(database_address) as owner:
            await owner.demand_writing()
        async with opened(database_address.replace("shop@", "reader@")) as reader:
            with pytest.raises(Misconfigured, match="its role reader may only read; name the role of"):
                await reader.demand_writing()
    finally:
        cluster.run("drop owned by reader; drop role reader", DATABASE)
