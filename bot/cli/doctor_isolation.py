"""What `triage doctor` says of the boundary that programs start in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot import isolation
from bot.cli.doctor_check import DoctorCheck
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from bot.isolation import Mode


def isolation_in_force(mode: Mode) -> DoctorCheck:
    """Settle it as a start would, and name it; without one it is wrong only where it is required. Blocking."""
    boundary = isolation.settle(mode)
    try:
        boundary.demand()
    except Misconfigured as problem:
        return DoctorCheck("isolation", False, str(problem))
    if not boundary.bwrap:
        return DoctorCheck("isolation", None, f"none, programs have the rights of this user: {boundary.problem}")
    return DoctorCheck("isolation", True, f"{boundary.bwrap[0]}; searches and git see the project alone and no network")
