"""Runbooks of tests: a runner that runs nothing and remembers each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.decide.health.proposals import describe_change, describe_health
from bot.models.program_run import ProgramResult
from bot.models.runbook import RunbookProposal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models.check_result import CheckResult
    from bot.models.incident import Remedy

RESTART = RunbookProposal(
    name="restart-payments", argv=("systemctl", "restart", "payments"), services=("payments",), timeout_s=60
)


class Runbooks:
    """Runbooks of the settings, and checks whose results a test hands over (`RunbookRunner`, `ServiceHealth`)."""

    def __init__(self, *offered: RunbookProposal) -> None:
        self.offered = offered or (RESTART,)
        self.started: set[str] = set()
        self.runs: list[Remedy] = []
        self.ends: dict[str, Any] = {"outcome": "succeeded", "exit_code": 0, "output": "restarted"}
        self.results: list[tuple[CheckResult, ...] | Exception] = []
        self.rest = ""
        self.withheld: tuple[tuple[RunbookProposal, str], ...] = ()
        self.healthy: set[str] = set()
        self.fault: Exception | None = None

    def list_proposals(self, services: Sequence[str], tier: int) -> tuple[RunbookProposal, ...]:
        """Return all that are for one of the services."""
        return tuple(each for each in self.offered if {*each.services} & {*services})

    def list_withheld(self, services: Sequence[str], tier: int) -> tuple[tuple[RunbookProposal, str], ...]:
        """Return what the test withholds."""
        return self.withheld

    def describe_change(self, remedy: Remedy, services: Sequence[str]) -> str:
        """Return the difference to what is offered."""
        runbook = next((each for each in self.offered if each.name == remedy.runbook), None)
        return describe_change(remedy, runbook, services, (1, 2, 3))

    def describe_rest(self, runbook: str) -> str:
        """Return the reason that the test wants."""
        return self.rest

    def describe_health(self, runbook: str) -> str:
        """Return that none of its services fails."""
        section = next(each for each in self.offered if each.name == runbook)
        return describe_health(section, lambda name: name not in self.healthy)

    def is_started(self, run_id: str) -> bool:
        """Return whether a run was started."""
        return run_id in self.started

    async def run(self, remedy: Remedy) -> ProgramResult:
        """Remember the run, and return the end that the test wants."""
        if self.fault:
            raise self.fault
        self.runs.append(remedy)
        run_id = remedy.run_id or ""
        self.started.add(run_id)
        return ProgramResult(run_id=run_id, **self.ends)

    def list_states(self) -> tuple[()]:
        """Return no state."""
        return ()

    async def check_again(self, group: str) -> tuple[CheckResult, ...]:
        """Return the next results."""
        result = self.results.pop(0)
        if isinstance(result, Exception):
            raise result
        return result
