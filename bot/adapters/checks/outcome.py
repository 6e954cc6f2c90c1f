"""Outcome of one check, before it is timed and redacted."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models.check_result import ServiceStatus


@dataclass(frozen=True, slots=True)
class Outcome:
    """Status, and the reason of any but `healthy` in a plain clause."""

    status: ServiceStatus | None
    """`None` if the check could not be made, which says nothing about the service."""
    error: str = ""


_PACKAGES = {"dns": "dnspython"}
"""Packages with another name than their module."""
HEALTHY = Outcome("healthy")


def down(error: str) -> Outcome:
    """Return the outcome of a check that failed."""
    return Outcome("down", error)


def degraded(error: str) -> Outcome:
    """Return the outcome of a check that succeeded with a fault."""
    return Outcome("degraded", error)


def unchecked(error: str) -> Outcome:
    """Return the outcome of a check that could not be made, by a fault of the bot, its installation or settings."""
    return Outcome(None, error)


def describe_os_error(problem: OSError) -> str:
    """Describe why there is no connection, without addresses."""
    if isinstance(problem, ConnectionResetError) and not (problem.errno or problem.strerror):
        return "the server closed the connection"  # as a port without TLS does
    is_system = problem.errno is not None and problem.errno > 0  # codes of look-ups are negative
    reason = os.strerror(problem.errno) if is_system and problem.errno else problem.strerror or type(problem).__name__
    return reason[:1].lower() + reason[1:]


def quote(text: str) -> str:
    """Quote a value for a sentence, in short form."""
    return f'"{text}"' if len(text) <= 60 else f'"{text[:59]}…"'


def describe_missing(module: str) -> str:
    """Describe a module that the installation lacks."""
    package = _PACKAGES.get(module.partition(".")[0], module)
    return f"the Python package {package} is not installed: install Triage again"


def describe_fault(problem: Exception) -> str:
    """Describe an error of the check itself."""
    if isinstance(problem, ModuleNotFoundError):
        return describe_missing(problem.name or "that it needs")
    return f"the check itself failed: {type(problem).__name__}; the log says more"
