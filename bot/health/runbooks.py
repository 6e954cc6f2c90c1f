"""Runbooks: programs of the settings for services that are failing, each started once by an operator's press."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from bot.decide.health.proposals import describe_change, describe_health
from bot.health.offered_runbooks import list_runbooks
from bot.models.program_run import ProgramTask
from bot.runtime.program_folder import list_tasks
from bot.runtime.program_runner import describe_delay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from bot.config.sections.health import RunbookSection
    from bot.models.incident import Remedy
    from bot.models.program_run import ProgramResult
    from bot.models.runbook import RunbookProposal
    from bot.runtime.program_runner import ProgramRunner

KIND = "runbook"
"""`kind` of its lines in the audit log."""
LATEST = timedelta(minutes=15)
"""Time after the press in which a runbook starts; a bot that was away or paused for longer starts nothing."""


@dataclass(kw_only=True)
class RunbookRunner:
    """The runner of runbooks. `cwd` is the folder of the programs."""

    programs: ProgramRunner
    cwd: Path
    runbooks: Sequence[RunbookSection]
    is_failing: Callable[[str], bool]
    """Return whether the last run of a service's checks was degraded or down."""
    is_back: Callable[[str], bool]
    """Return whether a service that failed has recovered: two healthy runs in a row."""
    _starts: dict[str, tuple[str, datetime]] | None = None
    """Runbook and time of each start, by run."""

    def list_proposals(self, services: Sequence[str], tier: int) -> tuple[RunbookProposal, ...]:
        """Return the runbooks that an agent of a tier may propose now for those of these services that are failing."""
        return tuple(runbook for runbook, why in self._list_for(services, tier) if not why)

    def list_withheld(self, services: Sequence[str], tier: int) -> tuple[tuple[RunbookProposal, str], ...]:
        """Return the runbooks for these services that the agent may not propose now, each with the reason, a clause."""
        return tuple((runbook, why) for runbook, why in self._list_for(services, tier) if why)

    def _list_for(self, services: Sequence[str], tier: int) -> Iterator[tuple[RunbookProposal, str]]:
        return list_runbooks(self.runbooks, services, tier, is_back=self.is_back, find_rest=self._find_cooldown)

    def describe_change(self, remedy: Remedy, services: Sequence[str]) -> str:
        """Return in a sentence how the settings differ from a proposal for these services; empty if they do not."""
        section = self._find_section(remedy.runbook)
        proposal, tiers = (section.as_proposal(), section.tiers) if section else (None, ())
        return describe_change(remedy, proposal, services, tiers)

    def describe_rest(self, runbook: str) -> str:
        """Return the reason why a runbook has to rest now, as a sentence; empty if it has not."""
        section = self._find_section(runbook)
        return self._find_cooldown(section) if section else ""

    def describe_health(self, runbook: str) -> str:
        """Return in a sentence that no service of a runbook is failing now; empty if one is."""
        section = self._find_section(runbook)
        return describe_health(section.as_proposal(), self.is_failing) if section else ""

    def is_started(self, run_id: str) -> bool:
        """Return whether this run was started, by this process or one before; blocking, for an instant."""
        return self.programs.is_started(run_id)

    async def run(self, remedy: Remedy) -> ProgramResult:
        """Run the approved remedy unless it was started (`ProgramRunner.run`)."""
        result = await self.programs.run(RemedyOrder(self, remedy))
        if result.outcome == "not-started" and self._starts:
            self._starts.pop(result.run_id, None)
        return result

    async def prune(self, keep: timedelta) -> None:
        """Remove the folders of runs that are older; one under way, or one that a runbook still rests after, stays."""
        rest = max((timedelta(minutes=each.cooldown_min) for each in self.runbooks), default=timedelta())
        await self.programs.prune(max(keep, rest))

    def find_refusal(self, remedy: Remedy) -> str:
        """Return the reason why a remedy is not started, as the settings and the checks are now; empty without any."""
        section = self._find_section(remedy.runbook)
        change = self.describe_change(remedy, section.services if section else ())
        if section is None or change:
            return change
        now = self.programs.clock.now()
        delay = describe_delay(now - (remedy.decided_at or now), LATEST)
        return delay or self.describe_health(section.name) or self._find_cooldown(section, remedy.run_id)

    def note_start(self, remedy: Remedy, now: datetime) -> None:
        """Let the cooldown of a runbook begin."""
        self._list_starts()[remedy.run_id or ""] = remedy.runbook, now

    def _find_section(self, runbook: str) -> RunbookSection | None:
        return next((each for each in self.runbooks if each.name == runbook), None)

    def _find_cooldown(self, section: RunbookSection, own: str | None = None) -> str:
        """Return the reason why a runbook has to rest, empty if it has not; its `own` run does not count."""
        starts, now = self._list_starts().items(), self.programs.clock.now()
        times = [at for run_id, (runbook, at) in starts if runbook == section.name and run_id != own]
        if not times or now - max(times) >= timedelta(minutes=section.cooldown_min):
            return ""
        minutes, at = f"{section.cooldown_min:g} minutes", f"{max(times):%Y-%m-%d %H:%M} UTC"
        return f"It was started at {at}, and the settings let it rest for {minutes} after a start."

    def _list_starts(self) -> dict[str, tuple[str, datetime]]:
        if self._starts is None:
            self._starts = {
                task.run_id: (task.name, task.at)
                for folder, task in list_tasks(self.programs.parent)
                if not folder.was_not_started()
            }
        return self._starts


@dataclass(frozen=True)
class RemedyOrder:
    """Order to run an approved remedy (`ProgramOrder`)."""

    runner: RunbookRunner
    remedy: Remedy

    @property
    def run_id(self) -> str:
        return self.remedy.run_id or ""

    @property
    def name(self) -> str:
        return f"the runbook {self.remedy.runbook}"

    @property
    def decided_at(self) -> datetime | None:
        return self.remedy.decided_at

    @property
    def record(self) -> Mapping[str, Any]:
        remedy = self.remedy
        own = {"runbook": remedy.runbook, "argv": [*remedy.argv], "user_id": remedy.decided_by, "tier": remedy.tier}
        return {"kind": KIND, **own, **({"first_user_id": remedy.first_by} if remedy.first_by else {})}

    async def find_refusal(self) -> str:
        return self.runner.find_refusal(self.remedy)

    def build_task(self, now: datetime) -> ProgramTask:
        approved = self.remedy.model_dump(include={"argv", "timeout_s"})  # the same as in the settings
        return ProgramTask(run_id=self.run_id, name=self.remedy.runbook, cwd=self.runner.cwd, at=now, **approved)

    def note_start(self, now: datetime) -> None:
        self.runner.note_start(self.remedy, now)
