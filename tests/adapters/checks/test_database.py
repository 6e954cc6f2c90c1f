"""Checks of databases, against a real PostgreSQL."""

from __future__ import annotations

import asyncio
import socket
import sys
import time

import psycopg
import pytest

from bot.models.check_target import DatabaseTarget
from tests.adapters.checks.crew import find_fault, make_check, open_checks, ticks_of
from tests.postgresql import PASSWORD


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("select 1", ""),
        ("select 1", "1"),
        ("select 'grün'", "grün"),
        ("select true", "t"),
        ("select count(*) from pg_class where relname like 'pg%'", ""),
        ("select null", ""),
        ("select generate_series(7, 10000000)", "7"),
        ("show server_encoding", "UTF8"),
        ("select current_setting('transaction_read_only')", "on"),
    ],
)
async def test_a_query_with_its_value_is_healthy(postgresql: str, query: str, expected: str) -> None:
    """The first value is compared as psql prints it; of many rows only the first are fetched."""
    target = DatabaseTarget(url_env="SHOP_DB", query=query, expected=expected)
    result = await make_check(target, environment={"SHOP_DB": postgresql})
    assert (result.check_type, result.status, result.error) == ("database", "healthy", "")


@pytest.mark.parametrize(
    ("query", "expected", "error"),
    [
        ("select 2", "1", 'the query returns "2", expected "1"'),
        ("select 1 where false", "1", 'the query returns no row, expected "1"'),
        ("select * from orders", "", 'PostgreSQL: relation "orders" does not exist'),
        ("selec 1", "", 'PostgreSQL: syntax error at or near "selec"'),
        (
            "create table orders (id int)",
            "",
            "PostgreSQL: cannot execute CREATE TABLE in a read-only transaction",
        ),
        (
            "select 1; commit; create table orders (id int)",
            "",
            "PostgreSQL: cannot insert multiple commands into a prepared statement",
        ),
    ],
)
async def test_a_wrong_answer_is_down(postgresql: str, query: str, expected: str, error: str) -> None:
    """Nothing is written, whatever the query says."""
    target = DatabaseTarget(url_env="SHOP_DB", query=query, expected=expected)
    result = await make_check(target, environment={"SHOP_DB": postgresql})
    assert (result.status, result.error) == ("down", error)


async def test_a_long_query_ends_in_time(postgresql: str) -> None:
    """The server ends it too, so that no query piles up there."""
    target = DatabaseTarget(url_env="SHOP_DB", query="select pg_sleep(60)")
    result = await make_check(target, environment={"SHOP_DB": postgresql}, timeout_s=0.3)
    assert result.status == "down"
    assert result.error in ("no answer within 0.3 s", "the query took longer than 0.3 s")
    with psycopg.connect(postgresql) as connection:
        query = "select count(*) from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'"
        for _ in range(100):
            (number,) = connection.execute(query).fetchone() or (None,)
            if number == 0:
                break
            connection.rollback()
            connection.execute("select pg_sleep(0.05)")
        assert number == 0


async def serve_half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Let a client in, as PostgreSQL does, and answer no query."""
    await reader.read(8_192)
    writer.write(b"R\x00\x00\x00\x08\x00\x00\x00\x00" + b"Z\x00\x00\x00\x05I")
    await reader.read(-1)
    writer.close()


async def test_a_server_that_hangs_holds_no_check() -> None:
    """The result comes at the timeout, although nothing can be cancelled there."""
    server = await asyncio.start_server(serve_half, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    address = f"postgresql://u:p@127.0.0.1:{port}/x?sslmode=disable&gssencmode=disable"
    began = time.monotonic()
    async with open_checks(
        DatabaseTarget(url_env="SHOP_DB"), environment={"SHOP_DB": address}, timeout_s=0.3
    ) as checks:
        (result,) = await checks.check("shop")
        took = time.monotonic() - began
    server.close()
    assert (result.status, result.error) == ("down", "no answer within 0.3 s")
    assert took < 1


async def test_a_name_with_several_addresses(postgresql: str) -> None:
    """Each address of a name is tried."""
    target = DatabaseTarget(url_env="SHOP_DB")
    result = await make_check(target, environment={"SHOP_DB": postgresql.replace("127.0.0.1", "localhost")})
    assert result.status == "healthy"


async def test_a_slow_query_is_degraded(postgresql: str) -> None:
    """Right, but slower than the settings expect."""
    target = DatabaseTarget(url_env="SHOP_DB", latency_ms=100)
    result = await make_check(target, environment={"SHOP_DB": postgresql}, measure=ticks_of(0.25))
    assert (result.status, result.error) == ("degraded", "answered in 250 ms, expected at most 100 ms")


async def test_no_error_shows_the_address(postgresql: str) -> None:
    """A wrong password is named by the user's name only."""
    wrong = postgresql.replace(PASSWORD, PASSWORD[::-1])
    result = await make_check(DatabaseTarget(url_env="SHOP_DB"), environment={"SHOP_DB": wrong})
    assert (result.status, result.error) == ("down", 'PostgreSQL: password authentication failed for user "shop"')
    same = postgresql.replace("shop:", f"{PASSWORD}:")  # a password that its error repeats
    result = await make_check(DatabaseTarget(url_env="SHOP_DB"), environment={"SHOP_DB": same})
    assert (result.status, result.error) == ("down", 'PostgreSQL: password authentication failed for user "…"')


@pytest.mark.parametrize("address", ["postgresql://shop:" + "hunter2@[::1", "hunter2", "host=x hunter2"])
async def test_an_address_that_is_none(address: str) -> None:
    """The variable is named, and its value is not."""
    fault = await find_fault(DatabaseTarget(url_env="SHOP_DB"), environment={"SHOP_DB": address})
    assert fault == "database: the value of SHOP_DB is not an address of PostgreSQL"


async def test_no_variable_no_server_no_name() -> None:
    """Each missing part has its words."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    target = DatabaseTarget(url_env="SHOP_DB")
    missing = await find_fault(target, environment={})
    closed = await make_check(target, environment={"SHOP_DB": f"postgresql://u:p@127.0.0.1:{port}/x"})
    unknown = await make_check(target, environment={"SHOP_DB": "postgresql://u:p@nobody.invalid/x"})
    assert missing == "database: the variable SHOP_DB is not set"
    assert closed.error == "PostgreSQL: connection refused"
    assert unknown.error.startswith("the name nobody.invalid cannot be resolved: ")


async def test_without_the_driver_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check has no result, and says how to install it."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    fault = await find_fault(DatabaseTarget(url_env="SHOP_DB"), environment={"SHOP_DB": "postgresql://x/y"})
    assert "pip install 'psycopg[binary]>=3.2'" in fault
