"""Check of the isolation boundary for `triage doctor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot import isolation
from bot.cli.doctor_check import DoctorCheck
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from bot.isolation import Mode


def check_isolation(mode: Mode) -> DoctorCheck:
    """Set up the boundary as a start would, and name it; a missing one fails only if required. Blocking."""
    boundary = isolation.configure(mode)
    try:
        boundary.demand()
    except Misconfigured as problem:
        return DoctorCheck("isolation", False, str(problem))
    if not boundary.bwrap:
        return DoctorCheck("isolation", None, f"none, programs have the rights of this user: {boundary.problem}")
    return DoctorCheck("isolation", True, f"{boundary.bwrap[0]}; searches and git see the project alone and no network")
