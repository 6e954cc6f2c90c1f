"""Check of PostgreSQL: one query over a new connection, in a read-only transaction with a time limit."""

from __future__ import annotations

import contextlib
import importlib.util
import ipaddress
import logging
import socket
from typing import TYPE_CHECKING, Any

from bot.adapters.checks.outcome import HEALTHY, Outcome, describe_os_error, down, quote, unchecked

if TYPE_CHECKING:
    from collections.abc import Mapping

    import psycopg

    from bot.adapters.checks.addresses import Addresses
    from bot.models.check_target import DatabaseTarget

logging.getLogger("psycopg").setLevel(logging.ERROR)  # it warns of queries that a check's time limit ends
MISSING = "PostgreSQL's driver is not installed: pip install 'psycopg[binary]>=3.2'"
_PORT = 5432
_FAILED = " failed: "
"""Words of the driver before the reason, in the line of each address that it tried."""
_CANCELLED = "57014"
"""PostgreSQL's code of a query that took longer than its time."""


def has_driver() -> bool:
    """Return whether the driver for PostgreSQL is installed."""
    return importlib.util.find_spec("psycopg") is not None


class DatabaseProbe:
    """Sender of queries."""

    def __init__(self, environment: Mapping[str, str], addresses: Addresses, *, timeout_s: float) -> None:
        self._environment, self._addresses, self._timeout_s = environment, addresses, timeout_s

    async def probe(self, target: DatabaseTarget) -> Outcome:
        """Send the query, and compare the first value of its first row. May raise `TimeoutError`."""
        address = self._environment.get(target.url_env, "")
        if not address:
            return unchecked(f"the variable {target.url_env} is not set")
        try:
            import psycopg
            from psycopg.conninfo import conninfo_to_dict
        except ImportError:
            return unchecked(MISSING)
        try:
            parameters = conninfo_to_dict(address)
        except psycopg.ProgrammingError:  # its message quotes the address
            return unchecked(f"the value of {target.url_env} is not an address of PostgreSQL")
        try:
            addresses = await self._find_addresses(parameters)
            fault = await self._query({**parameters, **addresses}, target)
        except socket.gaierror as problem:
            return down(f"the name {parameters.get('host')} cannot be resolved: {describe_os_error(problem)}")
        except psycopg.Error as problem:
            return down(_describe(problem, self._timeout_s, secret=str(parameters.get("password") or "")))
        return down(fault) if fault else HEALTHY

    async def _find_addresses(self, parameters: Mapping[str, Any]) -> dict[str, str]:
        """Return the addresses of the host, which the driver would look up in threads that others need."""
        host = str(parameters.get("host") or "")
        is_named = host and not host.startswith(("/", "@")) and "," not in host and "hostaddr" not in parameters
        if not is_named:
            return {}
        with contextlib.suppress(ValueError):
            ipaddress.ip_address(host)
            return {}
        addresses = dict.fromkeys(str(found[4][0]) for found in await self._addresses.find(host, _PORT))
        return {"host": ",".join([host] * len(addresses)), "hostaddr": ",".join(addresses)}

    async def _query(self, parameters: Mapping[str, Any], target: DatabaseTarget) -> str:
        """Send the query; return a fault, or an empty text."""
        import psycopg

        parameters = {"application_name": "triage-health", **parameters}
        connection = await psycopg.AsyncConnection.connect(**parameters)
        try:
            await connection.set_read_only(True)
            cursor = connection.cursor()
            await cursor.execute(f"set local statement_timeout = {max(1, round(self._timeout_s * 1_000))}")
            has_row, value = await _first_value(cursor, target.query)
        finally:
            await connection.close()  # nothing is committed
        if not target.expected:
            return ""
        if not has_row:
            return f"the query returns no row, expected {quote(target.expected)}"
        return (
            "" if value == target.expected else f"the query returns {quote(value)}, expected {quote(target.expected)}"
        )


async def _first_value(cursor: psycopg.AsyncCursor[Any], query: str) -> tuple[bool, str]:
    """Return the first value as PostgreSQL writes it, after whether there is a row; two rows are fetched at most."""
    number, value = 0, ""
    async for _ in cursor.stream(query):  # the admin's text, which no other enters
        number += 1
        if number > 1:
            break
        raw = cursor.pgresult.get_value(0, 0) if cursor.pgresult and cursor.pgresult.nfields else None
        value = (raw or b"").decode("utf-8", errors="replace")
    return number > 0, value


def _describe(problem: psycopg.Error, timeout_s: float, *, secret: str) -> str:
    if problem.sqlstate == _CANCELLED:
        return f"the query took longer than {timeout_s:g} s"
    lines = str(problem).strip().splitlines() or [type(problem).__name__]
    reason = next((line for line in lines if _FAILED in line), lines[0])
    reason = reason.rpartition(_FAILED)[2].removeprefix("FATAL:").strip()
    reason = reason.replace(secret, "…") if secret else reason
    return f"PostgreSQL: {reason[:1].lower()}{reason[1:]}"
