"""Checks of the database of `storage: postgresql` for `triage doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blocks.text import format_count
from bot.cli.doctor_check import DoctorCheck
from bot.wiring.storage import demand_driver

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from bot.config.environment import Environment
    from bot.models.database_status import DatabaseStatus

SILENT = 10.0
"""Age in seconds of the last heartbeat from which no leader is there."""
SLOW = 0.1
"""Latency in seconds from which each step of a thread is slow."""
JOBS_LATE = 60.0
"""Seconds for which a job waits at most where there are workers enough."""
_FULL = 0.8
"""Share of the allowed connections from which a further replica may find none."""


async def check_database(environment: Environment) -> AsyncIterator[DoctorCheck]:
    """Check server, migrations and leader, and list what waits. Raises `Misconfigured` if it cannot be used."""
    demand_driver()
    from bot.adapters.postgresql.status import read_status

    for check in judge(await read_status(environment.database_address)):
        yield check


def judge(status: DatabaseStatus) -> Iterator[DoctorCheck]:
    """Judge the answers of a server."""
    latency = f"{status.latency * 1_000:.1f} ms for a query"
    slow = f"; expected at most {SLOW * 1_000:.0f} ms: put it nearer to the replicas" if status.latency > SLOW else ""
    yield DoctorCheck("database", not slow, f"{status.place}, PostgreSQL {status.version}, {latency}{slow}")
    used = f"{status.connections} of {status.max_connections} in use"
    is_full = status.connections >= _FULL * status.max_connections
    full = "; a replica needs up to twenty: raise max_connections" if is_full else ""
    yield DoctorCheck("connections", not is_full, f"{used}{full}")
    if status.lacking:
        yield DoctorCheck("migrations", False, f"missing: {', '.join(status.lacking)}; run `triage db upgrade`")
        return
    yield DoctorCheck("migrations", True, "all are applied")
    if status.leader is None:
        yield DoctorCheck("leader", None, "no replica leads: none runs, or one is taking over")
    else:
        age = status.beat_age or 0.0
        late = "; it is gone, and no other has taken over: start a replica" if age > SILENT else ""
        yield DoctorCheck("leader", not late, f"{status.leader}, last heartbeat {age:.1f} s ago{late}")
    if (number := status.waiting_deliveries) is not None:
        yield DoctorCheck("deliveries", None, f"{format_count(number, 'delivery', 'deliveries')} waiting")
    if (number := status.waiting_jobs) is not None:
        oldest = f", the oldest for {status.oldest_job:.0f} s" if number else ""
        is_late = status.oldest_job > JOBS_LATE
        more = "; start a replica with workers, or more of them (docs/replicas.md)" if is_late else ""
        yield DoctorCheck(
            "jobs", not is_late if number else None, f"{format_count(number, 'job', 'jobs')} waiting{oldest}{more}"
        )
