"""Leadership: one replica leads at a time, by a lease in the database that it renews with heartbeats.

Whoever leads has an `epoch`, a number that no leader before had. Every write of a leader names it, and the database
refuses those of an older one (check_epoch). What cannot be refused there, such as a post to Slack, waits for
`confirm`, which knows from the last heartbeat whether another replica may lead by now: a process that was stopped and
wakes up posts nothing.

A leader may save what an older program cannot read, so a replica of an older version than the last leader's leads no
more; it still takes in what Slack delivers.

Heartbeats have a thread and a connection of their own, so that neither a busy event loop nor a full pool ends a lease.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import secrets
import socket
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg

from bot import __version__
from bot.adapters.postgresql.address import connect_apart
from bot.errors import Fenced

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

_NUMBER = re.compile(r"\d+")
EPOCHS = 7_245_501
"""Key of the advisory lock that writes share and a take-over has alone, as in check_epoch."""

_FREE = """
select epoch, program <= %(program)s::integer[] from triage.leadership
 where holder = '' or beat_at < clock_timestamp() - make_interval(secs => %(lasts)s)
"""
_TAKE = """
update triage.leadership
   set epoch = epoch + 1, holder = %(holder)s, program = %(program)s::integer[], beat_at = clock_timestamp()
 where epoch = %(epoch)s and program <= %(program)s::integer[]
   and (holder = '' or beat_at < clock_timestamp() - make_interval(secs => %(lasts)s))
returning epoch
"""
_BEAT = "update triage.leadership set beat_at = clock_timestamp() where epoch = %s"
_RELEASE = "update triage.leadership set holder = '', beat_at = clock_timestamp() where epoch = %s"
_OPTIONS = "-c statement_timeout=3000 -c lock_timeout=8000 -c idle_in_transaction_session_timeout=3000"


@dataclass(frozen=True, kw_only=True)
class LeaseTerms:
    """Terms of a lease, in seconds; all replicas must have the same."""

    lasts: float = 4.0
    """A lease without a heartbeat for this time is free."""
    every: float = 0.5
    """Time between two heartbeats, and between two tries of a standby."""
    spare: float = 1.0
    """Time before its end in which the leader itself relies on it no more."""


class Leadership:
    """Candidate for the lease at `address`; it leads from `acquire` to `release`, or until it is lost.

    `on_lost` is called in the event loop, once, when another replica leads.
    """

    def __init__(
        self,
        address: str,
        *,
        on_lost: Callable[[Fenced], None],
        terms: LeaseTerms | None = None,
        version: str = __version__,
    ) -> None:
        self._address, self._on_lost, self._terms = address, on_lost, terms or LeaseTerms()
        self._program = [int(number) for number in _NUMBER.findall(version)]
        self._is_too_old = False
        self.holder = f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(4)}"
        """Name of this process in the lease."""
        self._epoch: int | None = None
        self._answered_at = _now()
        self._relied_on_until = 0.0
        self._lost: Fenced | None = None
        self._ending, self._releases = threading.Event(), False
        self._acquired, self._confirmed = asyncio.Event(), asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="lease", daemon=True)

    @property
    def epoch(self) -> int | None:
        """Return the number of the lease; `None` for a standby."""
        return self._epoch

    @property
    def is_answered(self) -> bool:
        """Return whether the database answered lately, to a leader's heartbeat or a standby's try."""
        return _now() - self._answered_at < self._terms.lasts

    async def acquire(self) -> int:
        """Wait until this replica leads; return its epoch."""
        self._thread.start()
        await self._acquired.wait()
        if self._epoch is None:
            raise Fenced("this replica ended before it led")
        return self._epoch

    async def confirm(self) -> None:
        """Wait until the lease holds at this moment. Raises `Fenced` once another replica leads."""
        while _now() >= self._relied_on_until:
            if self._lost:
                raise self._lost
            self._confirmed.clear()
            if _now() < self._relied_on_until:  # a heartbeat came between the two
                break
            await self._confirmed.wait()

    async def release(self) -> None:
        """End the lease at once, so that a standby takes over without waiting."""
        self._releases = True
        self._ending.set()
        if self._thread.is_alive():
            await asyncio.to_thread(self._thread.join, 5.0)

    def _run(self) -> None:
        while not self._ending.is_set() and self._lost is None:
            try:
                with connect_apart(self._address, name="triage lease", options=_OPTIONS) as connection:
                    self._renew(connection)
            except psycopg.Error as problem:
                log.warning("the lease cannot be renewed: %s", type(problem).__name__)
                self._ending.wait(min(0.3, self._terms.every))
        self._loop_call(self._acquired.set)

    def _renew(self, connection: psycopg.Connection[Any]) -> None:
        """Take the lease, and renew it, until it is lost or released."""
        while self._lost is None:
            if self._ending.is_set():
                if self._releases and self._epoch is not None:
                    connection.execute(_RELEASE, (self._epoch,))
                    self._relied_on_until = 0.0
                return
            if self._epoch is None:
                self._try_to_acquire(connection)
            else:
                self._beat(connection)
            self._ending.wait(self._terms.every)

    def _try_to_acquire(self, connection: psycopg.Connection[Any]) -> None:
        values: dict[str, Any] = {"lasts": self._terms.lasts, "holder": self.holder, "program": self._program}
        row = connection.execute(_FREE, values).fetchone()
        self._answered_at = _now()
        if row is None or not self._may_lead(is_new_enough=row[1]):
            return
        began = _now()
        with connection.transaction():
            connection.execute("select pg_advisory_xact_lock(%s)", (EPOCHS,))
            taken = connection.execute(_TAKE, {**values, "epoch": row[0]}).fetchone()
        if taken is not None:
            self._epoch = int(taken[0])
            self._rely_from(began)
            self._loop_call(self._acquired.set)

    def _may_lead(self, *, is_new_enough: bool) -> bool:
        if not is_new_enough and not self._is_too_old:
            log.warning("no replica leads, and the last leader's Triage was newer than this one: start that version")
        self._is_too_old = not is_new_enough
        return is_new_enough

    def _beat(self, connection: psycopg.Connection[Any]) -> None:
        began = _now()
        done = connection.execute(_BEAT, (self._epoch,))
        self._answered_at = _now()
        if done.rowcount:
            self._rely_from(began)
            return
        self._lost = lost = Fenced("another replica leads: this one was silent for too long")
        self._relied_on_until = 0.0
        self._loop_call(lambda: self._on_lost(lost))
        self._loop_call(self._confirmed.set)

    def _rely_from(self, moment: float) -> None:
        self._relied_on_until = moment + self._terms.lasts - self._terms.spare
        self._loop_call(self._confirmed.set)

    def _loop_call(self, call: Callable[[], None]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call)


def _now() -> float:
    """Return the seconds since the machine was started, with those in which it was suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
