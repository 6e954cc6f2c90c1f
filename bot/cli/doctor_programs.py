"""Checks of declared commands and projects' checks for `triage doctor`: the program, its boundary, what it reads."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from bot.cli.doctor_check import DoctorCheck
from bot.cli.program_places import find_program_fault
from bot.isolation import boundary
from bot.programs.reads import find_reads_fault

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

    from bot.config.settings import Settings


async def check_programs(settings: Settings) -> AsyncIterator[DoctorCheck]:
    """Check each declared command, and the check of each project."""
    for number, command in enumerate(settings.commands):
        key = settings.format_key("commands", number, "argv")
        who = "an admin" if command.role == "admin" else "an operator or admin"
        yield _check(f"command {command.name}", key, command.argv[0], command.reads, f"runs after a press by {who}")
    for name, project in settings.projects.items():
        if check := project.check:
            key = settings.format_key("projects", name, "check", "argv")
            yield _check(f"check of {name}", key, check.argv[0], check.reads, "runs in workspaces only")


def _check(
    name: str, key: str, program: str, reads: tuple[Path, ...], use: str, environment: Mapping[str, str] = os.environ
) -> DoctorCheck:
    """Return the row of a program: a note where it is not isolated."""
    path = environment.get("PATH")
    if fault := find_program_fault(program, path):
        return DoctorCheck(name, False, f"{key}: {program} cannot be started: {fault}")
    if fault := find_reads_fault(reads):
        return DoctorCheck(name, False, f"{key}: {fault}")
    place, limits = shutil.which(program, path=path), boundary()
    if limits.bwrap:
        return DoctorCheck(name, True, f"{place}, isolated, without a network; {use}")
    return DoctorCheck(name, None, f"{place}, not isolated, with all rights of this user: {limits.problem}; {use}")
