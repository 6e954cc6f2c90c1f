"""One line of the report of `triage doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import RateLimited

if TYPE_CHECKING:
    from bot.errors import TriageError


@dataclass(frozen=True)
class DoctorCheck:
    """One line of the report. `ok` is `None` where there is something to know but nothing wrong."""

    name: str
    ok: bool | None
    detail: str


def failed(name: str, problem: TriageError, then: str = "") -> DoctorCheck:
    """The line of what could not be looked at, and `then` what follows; too many calls for now are no fault."""
    if isinstance(problem, RateLimited):
        return DoctorCheck(name, None, f"{problem}; look again in {problem.after:.0f} s")
    return DoctorCheck(name, False, f"{problem}{then}")
