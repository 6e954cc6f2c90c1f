"""Events of incidents: changed results, recovery, a press on a runbook, and its end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.models.presses import TimedEvent

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from bot.models.alert import Alert
    from bot.models.check_result import CheckResult
    from bot.models.program_run import ProgramOutcome


@dataclass(frozen=True, kw_only=True, slots=True)
class ServicesFailed(TimedEvent):
    """Further services of an incident's group failed, failed in another way, or failed again within the cooldown; or
    some, but not all, are healthy again."""

    services: tuple[str, ...]
    checks: tuple[CheckResult, ...]
    """The latest result of each check of the group."""
    cooldown_state: Mapping[str, Any]
    session_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ServicesRecovered(TimedEvent):
    """All services of an incident's group are healthy again, confirmed as the decision on recovery demands.

    Those that changed settings took out of the group are `unchecked`.
    """

    checks: tuple[CheckResult, ...]
    unchecked: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class AlertResolved(TimedEvent):
    """The program that posted an alert says that it is resolved."""

    message_id: str
    alert: Alert | None = None
    """The alert as the end names it; `None` for all of the thread."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AlertAcknowledged(TimedEvent):
    """The program that posted an alert says that somebody works on it."""

    message_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RunbookEnded(TimedEvent):
    """A runbook ended, did not start, or its end is unknown; the checks were made again after it."""

    run_id: str
    outcome: ProgramOutcome
    exit_code: int | None = None
    duration_ms: int = 0
    output: str = ""
    problem: str = ""
    checks: tuple[CheckResult, ...] = ()
    """Results after its end; empty if the checks could not be made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class IncidentShown(TimedEvent):
    """The message of an incident shows this revision."""

    revision: int


IncidentEvent = ServicesFailed | ServicesRecovered | AlertResolved | AlertAcknowledged | RunbookEnded | IncidentShown
