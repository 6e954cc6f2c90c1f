"""Runs of declared commands: each is started once, as its plan was shown, in a process that outlives the bot."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Protocol

from bot.isolation.declared import confine_program
from bot.models.program_run import ProgramTask
from bot.runtime.program_runner import describe_delay

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from bot.models.declared_command import DeclaredCommand, PlannedRun
    from bot.models.program_run import ProgramResult
    from bot.runtime.program_runner import ProgramRunner

KIND = "declared command"
"""`kind` of its lines in the audit log."""
LATEST = timedelta(minutes=30)
"""Time after it was shown in which a command starts: 15 minutes for the press, the rest for a bot that was away."""
KEEP = timedelta(days=7)
"""Time for which the folder of a run is kept."""


class RunCheck(Protocol):
    """Check of a run right before its start."""

    async def find_change(self, run: PlannedRun) -> str:
        """Return the reason why a run may not start, as things are now, as a sentence; empty if it may."""


@dataclass(frozen=True, kw_only=True)
class CommandRuns:
    """Runner of declared commands."""

    programs: ProgramRunner

    async def run(
        self, command: DeclaredCommand | None, run: PlannedRun, user_id: str, check: RunCheck
    ) -> ProgramResult:
        """Run it unless it was started; return its result (`ProgramRunner.run`). Without a `command` in the settings
        nothing is started."""
        return await self.programs.run(
            _CommandOrder(run=run, user_id=user_id, command=command, check=check, programs=self.programs)
        )

    async def prune(self) -> None:
        """Remove the folders of old runs; one under way stays."""
        await self.programs.prune(KEEP)


@dataclass(frozen=True, kw_only=True)
class _CommandOrder:
    """Order to run a declared command (`ProgramOrder`)."""

    run: PlannedRun
    user_id: str
    command: DeclaredCommand | None
    check: RunCheck
    programs: ProgramRunner

    @property
    def run_id(self) -> str:
        return self.run.run_id

    @property
    def name(self) -> str:
        return f"the command {self.run.command}"

    @property
    def decided_at(self) -> datetime | None:
        return self.run.at

    @property
    def record(self) -> Mapping[str, Any]:
        run = self.run
        return {
            "kind": KIND,
            "command": run.command,
            "argv": [*run.argv],
            "folder": str(run.folder),
            "project": run.project,
            "branch": run.branch,
            "isolated": run.is_isolated,
            "user_id": self.user_id,
        }

    async def find_refusal(self) -> str:
        if self.command is None:
            return f"The settings no longer have the command {self.run.command}."
        delay = describe_delay(self.programs.clock.now() - self.run.at, LATEST)
        return delay or await self.check.find_change(self.run)

    def build_task(self, now: datetime) -> ProgramTask:
        run, reads = self.run, self.command.reads if self.command else ()
        program = confine_program(run.argv, folder=run.folder, writes=run.writes, reads=reads)
        return ProgramTask(
            run_id=run.run_id,
            name=run.command,
            argv=program.command,
            cwd=run.folder,
            timeout_s=run.timeout_s,
            at=now,
            variables=program.variables,
            workspace=run.folder if run.branch else None,
            writes=run.writes,
        )

    def note_start(self, now: datetime) -> None:
        """Note nothing: a command needs no rest."""
