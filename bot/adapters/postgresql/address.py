"""Address of the database, as people set it in `TRIAGE_DATABASE_URL`. No message shows it: it holds a password."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from bot.errors import Misconfigured

VARIABLE = "TRIAGE_DATABASE_URL"
_EXPECTED = "expected postgresql://USER:PASSWORD@HOST:5432/NAME"
_FAILED = " failed: "
"""Words of the driver before the reason, in the line of each address that it tried."""


def read_address(text: str | None) -> dict[str, Any]:
    """Return the parameters of an address. Raises `Misconfigured`, without a part of it."""
    if not text:
        raise Misconfigured(f"{VARIABLE} is not set: {_EXPECTED}")
    if not text.startswith(("postgresql://", "postgres://")):
        raise Misconfigured(f"{VARIABLE} is not an address of PostgreSQL: {_EXPECTED}")
    try:
        parameters = dict(conninfo_to_dict(text))
    except psycopg.ProgrammingError:  # its message quotes the address
        raise Misconfigured(
            f"{VARIABLE} cannot be read: {_EXPECTED}, with special characters as percent codes (%40 for @)"
        ) from None
    if not parameters.get("dbname"):
        raise Misconfigured(f"{VARIABLE} names no database: {_EXPECTED}")
    return parameters


def describe_place(parameters: dict[str, Any]) -> str:
    """Return the database, for messages: without user and password."""
    host = parameters.get("host") or parameters.get("hostaddr") or "the local socket"
    port = f":{parameters['port']}" if parameters.get("port") else ""
    return f"PostgreSQL database {parameters['dbname']} on {host}{port}"


def describe_error(problem: psycopg.Error, parameters: dict[str, Any]) -> str:
    """Return the reason of an error in one line, without the password."""
    lines = str(problem).strip().splitlines() or [type(problem).__name__]
    reason = next((line for line in lines if _FAILED in line), lines[0]).rpartition(_FAILED)[2]
    secret = str(parameters.get("password") or "")
    return reason.removeprefix("FATAL:").strip().replace(secret or "\0", "…")


def connect_apart(address: str, *, name: str, options: str) -> psycopg.Connection[Any]:
    """Connect for heartbeats, in a thread of their own: a server that does not answer is noticed within seconds.

    `name` is what the server lists the connection by. Raises `psycopg.Error`.
    """
    return psycopg.connect(
        address,
        autocommit=True,
        connect_timeout=2,
        options=options,
        application_name=name,
        keepalives_idle=2,
        tcp_user_timeout=3000,
    )
