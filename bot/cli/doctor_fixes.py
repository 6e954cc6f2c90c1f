"""Checks of fixes for `triage doctor`: for each project, if an agent may draft fixes of its code."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bot.cli.doctor_check import DoctorCheck
from bot.cli.program_places import find_program_fault
from bot.escalation.fix_conditions import find_project_fault
from bot.programs.reads import find_reads_fault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.config.settings import Settings
    from bot.models.declared_command import DeclaredCheck


async def check_fixes(settings: Settings) -> AsyncIterator[DoctorCheck]:
    """Name the projects whose cards have *Propose a Fix*, and what the others lack: without a model, only those with a
    check."""
    from bot.wiring.forges import build_forges

    forges = build_forges(settings)
    for project in settings.project_list:
        if project.check is None and settings.engine != "claude":
            continue
        fault = find_project_fault(project, settings, forges) or _find_check_fault(project.check)
        detail = f"no Propose a Fix: {fault.rstrip('.')}" if fault else "an operator may press Propose a Fix"
        yield DoctorCheck(f"fixes of {project.name}", None if fault else True, detail)


def _find_check_fault(check: DeclaredCheck | None) -> str:
    """Return why a check would not start, as a sentence; empty if it may."""
    if check is None:
        return ""
    if fault := find_program_fault(check.argv[0], os.environ.get("PATH")):
        return f"Its check cannot be started: {check.argv[0]}: {fault}."
    fault = find_reads_fault(check.reads)
    return f"Its check cannot be started: {fault}." if fault else ""
