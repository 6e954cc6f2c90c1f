"""The lease on a real PostgreSQL: one leader at a time, by its heartbeats, with a number that no other had."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest

from bot.adapters.postgresql.leadership import Leadership, LeaseTerms
from bot.errors import Fenced
from tests.adapters.postgresql.cut import run_proxy
from tests.line.human import until
from tests.postgresql import DATABASE, Cluster

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_Candidate = tuple[Leadership, "asyncio.Future[Fenced]"]
SHORT = LeaseTerms(lasts=0.8, every=0.1, spare=0.2)


@asynccontextmanager
async def candidate(address: str, terms: LeaseTerms = SHORT, version: str = "0.1.0") -> AsyncIterator[_Candidate]:
    """A replica that may lead, with what it was told of its end."""
    lost: asyncio.Future[Fenced] = asyncio.get_running_loop().create_future()
    lease = Leadership(address, on_lost=lost.set_result, terms=terms, version=version)
    try:
        yield lease, lost
    finally:
        await lease.release()


async def test_the_first_replica_leads_with_an_epoch_that_grows_at_each_change(database_address: str) -> None:
    async with candidate(database_address) as (first, _):
        epoch = await first.acquire()
        await first.confirm()
    async with candidate(database_address) as (second, _):
        assert await second.acquire() == epoch + 1


async def test_an_older_program_does_not_lead_after_a_newer_one(
    database_address: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It might not read what that one saved; the same version leads."""
    async with candidate(database_address, version="0.0.10") as (newer, _):
        await newer.acquire()
    async with candidate(database_address, version="0.0.9") as (older, _):
        waiting = asyncio.create_task(older.acquire())
        await until(lambda: "the last leader's Triage was newer than this one" in caplog.text)
        async with candidate(database_address, version="0.0.10") as (other, _):
            await other.acquire()
        assert not waiting.done()
        waiting.cancel()


async def test_a_standby_leads_when_the_leader_releases_its_lease(database_address: str) -> None:
    async with candidate(database_address, LeaseTerms(lasts=60, every=0.05)) as (first, _):
        epoch = await first.acquire()
        async with candidate(database_address, LeaseTerms(lasts=60, every=0.05)) as (second, _):
            waiting = asyncio.create_task(second.acquire())
            await first.release()
            assert await waiting == epoch + 1


async def test_a_silent_leader_loses_the_lease_and_confirms_nothing_more(database_address: str) -> None:
    async with candidate(database_address, LeaseTerms(lasts=60, every=0.05)) as (first, lost):
        await first.acquire()
        async with await psycopg.AsyncConnection.connect(database_address, autocommit=True) as connection:
            await connection.execute("update triage.leadership set epoch = epoch + 1, holder = 'another'")
        assert "another replica leads" in str(await lost)
        with pytest.raises(Fenced, match="another replica leads"):
            await first.confirm()


async def test_a_leader_that_cannot_renew_its_lease_waits_before_it_confirms(database_address: str) -> None:
    async with candidate(database_address, LeaseTerms(lasts=0.3, every=30, spare=0.3)) as (lease, _):
        await lease.acquire()
        confirming = asyncio.create_task(lease.confirm())
        done, _ = await asyncio.wait([confirming], timeout=0.2)
        assert not done
        confirming.cancel()


async def test_a_database_that_answers_no_heartbeat_is_noticed(cluster: Cluster, database_address: str) -> None:
    """By a leader and a standby alike, and it answers again."""
    terms = LeaseTerms(lasts=0.5, every=0.05, spare=0.1)
    async with run_proxy(str(cluster.folder), cluster.port, DATABASE) as proxy:
        async with candidate(proxy.address, terms) as (lease, _):
            await lease.acquire()
            assert lease.is_answered
            for _ in range(40):
                proxy.cut("triage.leadership", "before")
            await until(lambda: not lease.is_answered)
            await until(lambda: lease.is_answered)


async def test_a_cut_connection_does_not_end_a_lease(database_address: str) -> None:
    async with candidate(database_address) as (lease, lost):
        epoch = await lease.acquire()
        async with await psycopg.AsyncConnection.connect(database_address, autocommit=True) as connection:
            for _ in range(3):
                await connection.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'triage lease'"
                )
                await lease.confirm()
        assert not lost.done()
        assert lease.epoch == epoch
