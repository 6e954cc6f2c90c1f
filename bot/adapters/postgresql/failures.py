"""Failures of the server, told apart by what helps."""

from __future__ import annotations

import psycopg
from psycopg import errors

_TEMPORARY = (
    *("08", "53", "40"),  # the connection, resources, conflicts between transactions
    *("57P01", "57P02", "57P03"),  # the server shuts down, has crashed, or starts
    *("25P03", "25006"),  # the transaction waited for too long; the server is a standby after a failover
)


def is_temporary(problem: psycopg.Error) -> bool:
    """Return whether the same call may succeed later: the connection broke, or the server is away or full."""
    if problem.sqlstate is None:
        return isinstance(problem, (psycopg.OperationalError, psycopg.InterfaceError))
    return problem.sqlstate.startswith(_TEMPORARY)


def is_timeout(problem: psycopg.Error) -> bool:
    """Return whether the server ended a statement that took too long."""
    return isinstance(problem, errors.QueryCanceled)
