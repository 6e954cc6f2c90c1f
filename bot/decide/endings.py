"""Reasons for the end of a run without findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.errors import Misconfigured, NoKey, OverCap, Refused, Stalled, Stopped, TriageError, Unreachable
from bot.models.external import KEPT_BACK

if TYPE_CHECKING:
    from bot.models.session import Outcome
    from bot.models.task import Abort


def why_of(problem: TriageError) -> str | None:
    """Return the guard that ended a run, as in `models/task.Abort`, or `KEPT_BACK`; `None` for another failure."""
    why: Abort
    match problem:
        case Refused(code=code) if code == KEPT_BACK:
            return KEPT_BACK
        case Refused(code="not_escalated") | Misconfigured():
            why = "settings"
        case Stopped():
            return problem.why
        case Stalled():
            why = "stalled"
        case Unreachable():
            why = "unreachable"
        case OverCap():
            why = "over-cap"
        case NoKey():
            why = "no-key"
        case _:
            return None
    return why


def find_abort(outcome: Outcome) -> str | None:
    """Return the guard that ended a session, as in `models/task.Abort`; `None` for another failure."""
    return _ABORTS.get(outcome)


_ABORTS: dict[Outcome, Abort] = {
    "limit": "limit",
    "loop": "repeats",
    "stalled": "stalled",
    "unreachable": "unreachable",
    "over_cap": "over-cap",
    "no_key": "no-key",
    "cancelled": "stopped",
}
