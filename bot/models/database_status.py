"""Status of the database that replicas share, for `triage doctor`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DatabaseStatus:
    """Answers of the server. Times are in seconds; `beat_age` is that of the leader's last heartbeat.

    Leader and counts are `None` before their tables exist, the leader also where nobody leads.
    """

    place: str
    version: str
    latency: float
    connections: int
    max_connections: int
    lacking: tuple[str, ...]
    leader: str | None = None
    beat_age: float | None = None
    waiting_deliveries: int | None = None
    waiting_jobs: int | None = None
    oldest_job: float = 0.0
    """Age of the oldest job that waits."""
