"""Database: connections of this process, its transactions, and what happens while the server does not answer.

A transaction of the leader begins with the check of its epoch. One whose connection breaks is run again, and one whose
connection breaks during its commit only if it was not committed: each transaction leaves its number in a row of its
connection, which is looked up then.
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import psycopg
from psycopg_pool import AsyncConnectionPool

from bot.adapters.postgresql.address import describe_error, describe_place, read_address
from bot.adapters.postgresql.commit_proofs import CLOSE, PROOF, Connection, begin_transaction, give_number
from bot.adapters.postgresql.failures import is_temporary, is_timeout
from bot.adapters.postgresql.queue_schema import SEARCH_PATH
from bot.errors import Fenced, Misconfigured, RetryLater, TriageError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from bot.ports.outbound import Clock
    from bot.ports.storage import Stop

Answer = TypeVar("Answer")

log = logging.getLogger(__name__)
logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # it warns at each try while the server is away

CONNECTIONS = 8
"""Connections of one process, at most."""
PATIENCE = 30.0
"""Seconds in which a server must answer again before the process stops."""
STATEMENT_TIMEOUT, IDLE_TIMEOUT = 20, 5
"""Seconds of one statement, and between two of a transaction; the server ends what takes longer."""
_FENCED = "TF001"
_MAY_WRITE = """
select current_user, has_table_privilege('triage.leadership', 'update')
   and has_table_privilege('triage.threads', 'insert, update')
   and has_table_privilege('procrastinate.procrastinate_jobs', 'insert, update')
"""
_LONGEST_WAIT = 1.0
"""Seconds between two tries while the server does not answer."""
_WAIT_FOR_CONNECTION = 5.0
"""Seconds in which one of the pool's connections must become free: at a start many wait while it grows."""
_LIMITS: dict[str, Any] = {
    "application_name": "triage",
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}


class Fence(Protocol):
    """The number under which this process leads (`bot.adapters.postgresql.leadership.Leadership`)."""

    @property
    def epoch(self) -> int | None:
        """Number of the lease; `None` for a standby."""


class Database:
    """The pool of one process. Without a `fence` it belongs to a tool, whose writes need no epoch."""

    def __init__(
        self,
        address: str | None,
        *,
        clock: Clock,
        fence: Fence | None = None,
        size: int = CONNECTIONS,
        patience: float = PATIENCE,
    ) -> None:
        parameters = read_address(address)
        self.address = address or ""
        self.place = describe_place(parameters)
        self.fence = fence
        self.stop: Stop | None = None
        """Asked once the server is away for too long, or another process leads."""
        self._clock, self._patience, self._parameters = clock, patience, parameters
        self._wait_for_connection = min(_WAIT_FOR_CONNECTION, patience)
        self._broken: TriageError | None = None
        self._is_away = False
        options = f"-c statement_timeout={STATEMENT_TIMEOUT}s -c idle_in_transaction_session_timeout={IDLE_TIMEOUT}s"
        options += f" -c search_path={SEARCH_PATH}"
        given = {**_LIMITS, **parameters, "options": f"{options} {parameters.get('options', '')}"}
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            "",
            connection_class=Connection,
            kwargs={**given, "autocommit": True},
            min_size=1,
            max_size=size,
            open=False,
            configure=give_number,
            reconnect_timeout=1.0,
            name="triage",
        )

    async def open(self) -> None:
        """Connect. Raises `Misconfigured` if the database cannot be used."""
        try:  # the pool would only say that it took too long
            await (await psycopg.AsyncConnection.connect(**{**_LIMITS, **self._parameters})).close()
            await self._pool.open(wait=True, timeout=10)
        except psycopg.Error as problem:
            await self._pool.close()
            raise Misconfigured(f"{self.place} cannot be used: {self._describe(problem)}") from None

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.close()

    async def demand_writing(self) -> None:
        """Raise `Misconfigured` if this role may not write the tables."""

        async def look(connection: Connection) -> Any:
            return await (await connection.execute(_MAY_WRITE)).fetchone()

        user, may_write = await self.read(look)
        if not may_write:
            raise Misconfigured(
                f"{self.place}: its role {user} may only read; name the role of `triage db upgrade` in the address"
            )

    async def read(self, work: Callable[[Connection], Awaitable[Answer]]) -> Answer:
        """Return the result of reading, which is repeated while the server does not answer. Raises `TriageError`."""

        async def read_once() -> Answer:
            async with self._pool.connection(timeout=self._wait_for_connection) as connection:
                return await work(connection)

        return await self._repeat(read_once)

    async def write(self, work: Callable[[Connection], Awaitable[Answer]], *, may_refuse: bool = False) -> Answer:
        """Run a transaction of the leader, and return its result once it is committed, exactly once.

        `work` is repeated while the server does not answer. Raises `Fenced`, and `TriageError` after which the process
        stops; with `may_refuse` a `RetryLater` instead.
        """

        async def write_once() -> Answer:
            async with self._transaction(fenced=True) as connection:
                return await work(connection)

        return await self._repeat(write_once, writes=True, may_refuse=may_refuse)

    async def execute(
        self, statement: str, values: dict[str, Any], *, may_refuse: bool = False
    ) -> list[tuple[Any, ...]] | None:
        """Run one statement as such a transaction, in one message; return its rows.

        The result is `None` if it was committed and the connection broke before its answer came.
        """
        text = f"{PROOF} {statement}".encode()

        async def execute_once() -> list[tuple[Any, ...]] | None:
            epoch, rows = self._find_epoch(), None
            async with self._pool.connection(timeout=self._wait_for_connection) as connection:
                connection.commits += 1
                number, commit = connection.number, connection.commits
                given = {**values, "epoch": epoch, "connection": number, "commit": commit}
                doubt: psycopg.Error | None = None
                try:
                    cursor = await connection.execute(text, given)
                    rows = await cursor.fetchall() if cursor.description else []
                except psycopg.Error as problem:
                    if not connection.closed:
                        raise
                    doubt = problem
            if doubt and not await self._is_committed(number, commit):
                raise doubt
            return rows

        return await self._repeat(execute_once, writes=True, may_refuse=may_refuse)

    async def insert(self, statement: bytes, find_values: Callable[[], dict[str, Any]]) -> list[tuple[Any, ...]]:
        """Run one statement that leaves alone what it has inserted before, as any process may; return its rows.

        Its values are asked for once there is a connection. Raises `RetryLater` if the server does not answer: whether
        it was committed is not known then.
        """
        try:
            async with self._pool.connection(timeout=self._wait_for_connection) as connection:
                return await (await connection.execute(statement, find_values())).fetchall()
        except psycopg.Error as problem:
            raise self._translate(problem) from None

    @asynccontextmanager
    async def transaction(self, *, fenced: bool = False) -> AsyncIterator[Connection]:
        """Open a transaction, committed at the end of the block. `fenced` ones are those of the leader.

        Raises `Fenced`, and `RetryLater` if the server does not answer: nothing was committed then.
        """
        try:
            async with self._transaction(fenced=fenced) as connection:
                yield connection
        except psycopg.Error as problem:
            raise self._translate(problem) from None

    @asynccontextmanager
    async def _transaction(self, *, fenced: bool) -> AsyncIterator[Connection]:
        epoch = self._find_epoch() if fenced else None
        doubt: psycopg.Error | None = None
        async with self._pool.connection(timeout=self._wait_for_connection) as connection:
            connection.commits += 1
            number, commit = connection.number, connection.commits
            await connection.execute(begin_transaction(epoch, number, commit), prepare=False)
            yield connection
            try:
                await connection.execute("commit")
            except psycopg.Error as problem:
                if not connection.closed:
                    raise
                doubt = problem
        if doubt:
            log.warning("%s: the connection broke during a commit", self.place)
            if not await self._is_committed(number, commit):
                raise doubt

    def _find_epoch(self) -> int | None:
        if self._broken:
            raise self._broken
        if self.fence is None:
            return None
        if self.fence.epoch is None:
            raise Fenced("this replica does not lead: it saves nothing")
        return self.fence.epoch

    async def _is_committed(self, number: int, commit: int) -> bool:
        """Return whether the last transaction of a broken connection was committed, once it has ended."""

        async def look() -> bool:
            async with self._pool.connection(timeout=self._wait_for_connection) as connection:
                row = await (await connection.execute(CLOSE, (number,))).fetchone()
            return row is not None and int(row[0]) == commit

        return await self._repeat(look)

    async def _repeat(
        self, call: Callable[[], Awaitable[Answer]], *, writes: bool = False, may_refuse: bool = False
    ) -> Answer:
        began, wait = None, 0.0
        while True:
            if self._broken:
                raise self._broken
            try:
                answer = await call()
            except psycopg.Error as problem:
                if self._pool.closed or not (is_temporary(problem) or (writes and is_timeout(problem))):
                    raise self._translate(problem) from None
                began = began or self._clock.now()  # not before: this process may have been stopped meanwhile
                if (self._clock.now() - began).total_seconds() >= self._patience:
                    raise self._give_up(problem, may_refuse=may_refuse) from None
                self._tell(problem)
            else:
                self._tell(None)
                return answer
            await self._clock.sleep(wait)
            wait = min(_LONGEST_WAIT, wait * 2 or 0.02)
            await self._pool.check()

    def _tell(self, problem: psycopg.Error | None) -> None:
        """Log that the server went away, or that it is back."""
        if problem and not self._is_away:
            log.warning("%s does not answer: %s", self.place, self._describe(problem))
        elif self._is_away and not problem:
            log.warning("%s answers again", self.place)
        self._is_away = problem is not None

    def _give_up(self, problem: psycopg.Error, *, may_refuse: bool) -> TriageError:
        text = f"{self.place} does not answer for {self._patience:.0f} s: {self._describe(problem)}"
        return RetryLater(text) if may_refuse else self._break(TriageError(f"{text}; Triage must stop"))

    def _translate(self, problem: psycopg.Error) -> TriageError:
        if problem.sqlstate == _FENCED:
            return self._break(Fenced("another replica leads: this process saves nothing more"))
        if is_timeout(problem):
            return TriageError(f"{self.place}: a query took longer than {STATEMENT_TIMEOUT} s")
        text = f"{self.place}: {self._describe(problem)}"
        return RetryLater(text) if is_temporary(problem) else TriageError(text)

    def _break(self, problem: TriageError) -> TriageError:
        if self._broken is None:
            self._broken = problem
            if self.stop:
                self.stop.stop_for(problem)
        return self._broken

    def _describe(self, problem: psycopg.Error) -> str:
        return describe_error(problem, self._parameters)
