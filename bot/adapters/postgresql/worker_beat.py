"""Heartbeat of a worker: its row among procrastinate's workers, renewed in a thread and over a connection of its own.

So neither a busy event loop nor a full pool makes a worker look dead.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time

import psycopg

from bot.adapters.postgresql.address import connect_apart
from bot.adapters.postgresql.queue_schema import SEARCH_PATH

log = logging.getLogger(__name__)

EVERY = 1.0
"""Seconds between two heartbeats."""
_LATELY = 6.0
_REGISTER = """
with worker as (insert into procrastinate_workers default values returning id)
insert into triage.worker_seats (worker_id, seats) select id, %s from worker returning worker_id
"""
_BEAT = "update procrastinate_workers set last_heartbeat = clock_timestamp() where id = %s"
_LEAVE = """
with gone as (delete from procrastinate_workers where id = %s returning id)
delete from triage.worker_seats where worker_id in (select id from gone)
"""
_OPTIONS = f"-c search_path={SEARCH_PATH} -c statement_timeout=3000 -c lock_timeout=3000"


class WorkerBeat:
    """Heartbeat from `begin` to `close`, of a worker that does up to `seats` jobs at the same time."""

    def __init__(self, address: str, seats: int) -> None:
        self._address, self._seats = address, seats
        self.worker_id: int | None = None
        """Number of this worker; `None` before the first heartbeat."""
        self._beaten_at = time.monotonic()
        self._ending, self._begun = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)

    @property
    def is_answered(self) -> bool:
        """Return whether the database took a heartbeat lately."""
        return time.monotonic() - self._beaten_at < _LATELY

    async def begin(self) -> None:
        """Register this worker. While the database is away, nothing is claimed."""
        self._thread.start()
        await asyncio.to_thread(self._begun.wait, 5.0)

    async def close(self) -> None:
        """Remove this worker's row, so that what it still has goes to others at once."""
        self._ending.set()
        if self._thread.is_alive():
            await asyncio.to_thread(self._thread.join, 5.0)

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                with connect_apart(self._address, name="triage worker", options=_OPTIONS) as connection:
                    while not self._ending.is_set():
                        if self.worker_id is None or not connection.execute(_BEAT, (self.worker_id,)).rowcount:
                            row = connection.execute(_REGISTER, (self._seats,)).fetchone()
                            self.worker_id = int(row[0]) if row else None
                        self._beaten_at = time.monotonic()
                        self._begun.set()
                        self._ending.wait(EVERY)
                    connection.execute(_LEAVE, (self.worker_id,))
            except psycopg.Error as problem:
                log.warning("the heartbeat of this worker cannot be sent: %s", type(problem).__name__)
                self._ending.wait(EVERY / 2)
