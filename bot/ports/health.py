"""Ports of health: checks of services, their latest results, and runbooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.check_result import CheckResult
    from bot.models.incident import Remedy
    from bot.models.program_run import ProgramResult
    from bot.models.runbook import RunbookProposal
    from bot.models.service_state import ServiceState


class ServiceHealth(Protocol):
    """Health of all services (`bot.health.services.Services`)."""

    def list_states(self) -> tuple[ServiceState, ...]:
        """Return the state of every service of the settings, by name."""

    async def check_again(self, group: str) -> tuple[CheckResult, ...]:
        """Make every check of a group now; return the results. Empty if the settings no longer have the group,
        or if a check cannot be made and the others are healthy."""


class ServiceChecks(Protocol):
    """Checks of the services of the settings (`bot.adapters.checks.Checks`)."""

    async def check(self, service: str) -> tuple[CheckResult, ...]:
        """Make all checks of a service at once; return their results in the order of the settings, within the timeout.
        Never raises `TriageError` or `OSError`: a result says what went wrong. Checks that cannot be made have none.
        Empty for an unknown service."""

    def list_faults(self, service: str) -> tuple[str, ...]:
        """Return the checks that could not be made in the last run of a service, each with its reason; that says
        nothing about the service."""

    async def close(self) -> None:
        """End what is under way."""


class RunbookRunner(Protocol):
    """Runbooks of the settings (`bot.health.runbooks.RunbookRunner`)."""

    def list_proposals(self, services: Sequence[str], tier: int) -> tuple[RunbookProposal, ...]:
        """Return the runbooks that an agent of a tier may propose now for those of these services that are failing."""

    def list_withheld(self, services: Sequence[str], tier: int) -> tuple[tuple[RunbookProposal, str], ...]:
        """Return the runbooks for these services that the agent may not propose now, each with the reason, a clause."""

    def describe_change(self, remedy: Remedy, services: Sequence[str]) -> str:
        """Return in a sentence how the settings differ from a proposal for these services; empty if they do not."""

    def describe_rest(self, runbook: str) -> str:
        """Return the reason why a runbook has to rest now, as a sentence; empty if it has not."""

    def describe_health(self, runbook: str) -> str:
        """Return in a sentence that no service of a runbook is failing now; empty if one is."""

    def is_started(self, run_id: str) -> bool:
        """Return whether this run was started, by this process or one before; blocking, for an instant."""

    async def run(self, remedy: Remedy) -> ProgramResult:
        """Run the approved remedy unless it was started; return its end, also that of a run which ended while the bot
        was away. Never starts a run id twice, and never raises `TriageError`: the end says what went wrong."""
