"""Result of one check of `triage doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import RateLimited

if TYPE_CHECKING:
    from bot.errors import TriageError


@dataclass(frozen=True)
class DoctorCheck:
    """Result of one check. `ok` is `None` for a note: something to know, but nothing wrong."""

    name: str
    ok: bool | None
    detail: str


def failed_check(name: str, problem: TriageError, then: str = "") -> DoctorCheck:
    """Return the result for a check that could not run, followed by `then`; a rate limit is only a note."""
    if isinstance(problem, RateLimited):
        return DoctorCheck(name, None, f"{problem}; try again in {problem.after:.0f} s")
    return DoctorCheck(name, False, f"{problem}{then}")
