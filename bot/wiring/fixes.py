"""Fixes: drafts, and openings of their merge requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.triage.fix_runs import FixRuns
from bot.triage.merge_requests import MergeRequests

if TYPE_CHECKING:
    from bot.ports.fixes import FixDrafter
    from bot.ports.forge import Forge
    from bot.wiring.core import Core
    from bot.wiring.projects import ProjectWork


@dataclass(frozen=True, kw_only=True)
class FixWork:
    """Work on fixes."""

    runs: FixRuns
    requests: MergeRequests


def build_fixes(core: Core, project_work: ProjectWork, drafter: FixDrafter | None, forge: Forge) -> FixWork:
    """Build the runs and the openings; without a drafter what was begun comes to an end."""
    repositories, workspaces = project_work.repositories, project_work.workspaces
    return FixWork(
        runs=FixRuns(
            drafter=drafter,
            repositories=repositories,
            workspaces=workspaces,
            clock=core.clock,
            is_stopped=lambda: core.controls.state == "stopped",
            redactor=core.redactor,
        ),
        requests=MergeRequests(
            repositories=repositories,
            workspaces=workspaces,
            forge=forge,
            naming=core.naming,
            audit=core.audit,
            clock=core.clock,
            redactor=core.redactor,
        ),
    )
