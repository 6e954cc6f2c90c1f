"""Checks of fixes for `triage doctor`: for each project with a check, if an agent may draft fixes of its code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.cli.doctor_check import DoctorCheck
from bot.escalation.fix_conditions import find_project_fault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.config.settings import Settings


async def check_fixes(settings: Settings) -> AsyncIterator[DoctorCheck]:
    """Name the projects whose cards have *Propose a Fix*, and what the others lack."""
    from bot.wiring.forges import build_forges

    forges = build_forges(settings)
    for project in settings.project_list:
        if project.check is None:
            continue
        fault = find_project_fault(project, settings, forges)
        detail = f"no Propose a Fix: {fault.rstrip('.')}" if fault else "an operator may press Propose a Fix"
        yield DoctorCheck(f"fixes of {project.name}", None if fault else True, detail)
