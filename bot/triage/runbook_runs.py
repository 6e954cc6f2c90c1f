"""Runs of approved runbooks: each is started once, and followed by the checks of its incident's group."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import TriageError
from bot.models.incident_event import RunbookEnded
from bot.models.program_run import ProgramResult

if TYPE_CHECKING:
    from bot.models.check_result import CheckResult
    from bot.models.incident import Incident, Remedy
    from bot.models.thread import Thread
    from bot.ports.health import RunbookRunner, ServiceHealth
    from bot.ports.outbound import Clock

log = logging.getLogger(__name__)

PAUSES = (5.0, 5.0, 10.0, 20.0)
"""Seconds before each further look at services that need a moment to come up again."""
_CONFIRMED_AFTER = 5.0
"""Seconds before one more look where only the last was healthy."""
_IN_A_ROW = 2
"""Healthy looks in a row that count as a recovery."""
_OVER = "The incident was over before it could start."


@dataclass(frozen=True, kw_only=True)
class RunbookRuns:
    """Runner of approved runbooks."""

    runbooks: RunbookRunner
    health: ServiceHealth
    clock: Clock

    def is_started(self, run_id: str) -> bool:
        """Return whether a run was started, so that it is only waited for."""
        return self.runbooks.is_started(run_id)

    async def run(self, thread: Thread, run_id: str) -> RunbookEnded | None:
        """Run the remedy of this id unless it was started, check its services, and return the end with both."""
        incident = thread.incident
        remedy = incident.proposal if incident else None
        if incident is None or remedy is None or remedy.run_id != run_id:
            return None
        end = await self._run_once(incident, remedy, run_id)
        checks = await self._check(incident.group, has_run=end.outcome != "not-started")
        return RunbookEnded(
            at=self.clock.now(),
            fresh=self.clock.new_id(),
            run_id=run_id,
            outcome=end.outcome,
            exit_code=end.exit_code,
            duration_ms=end.duration_ms,
            output=end.output,
            problem=end.problem,
            checks=checks,
        )

    async def _run_once(self, incident: Incident, remedy: Remedy, run_id: str) -> ProgramResult:
        if incident.is_over and not self.is_started(run_id):  # it was held meanwhile
            return ProgramResult(run_id=run_id, outcome="not-started", problem=_OVER)
        try:
            return await self.runbooks.run(remedy)
        except Exception as problem:
            log.exception("the runbook %s, run %s, failed", remedy.runbook, run_id)
            why = f"The run failed ({type(problem).__name__}); the log says more."
            return ProgramResult(run_id=run_id, outcome="unknown", problem=why)

    async def _check(self, group: str, *, has_run: bool) -> tuple[CheckResult, ...]:
        """Return the results after a run: the first that are all healthy for the second time in a row, else the last.

        One healthy look is no recovery: a service may start, and fail right after.
        """
        pauses = list(PAUSES if has_run else ())
        healthy = 0
        while True:
            checks = await self._look(group)
            healthy = healthy + 1 if all(check.status == "healthy" for check in checks) else 0
            if not checks or healthy == _IN_A_ROW or not (pauses or healthy):
                return checks
            await self.clock.sleep(pauses.pop(0) if pauses else _CONFIRMED_AFTER)

    async def _look(self, group: str) -> tuple[CheckResult, ...]:
        """Return the results of all checks of a group now; empty if they cannot be made."""
        try:
            return await self.health.check_again(group)
        except TriageError as problem:
            log.warning("the checks of %s after a runbook failed: %s", group, problem)
            return ()
