"""Problems of runs on their way from a worker to the leader."""

from __future__ import annotations

from typing import Any

from bot.errors import NoKey, OverCap, Refused, Stopped, TriageError, Unreachable
from bot.models.job import JobProblem

_LIMITS = ("day", "run", "account")


def pack_problem(problem: TriageError) -> JobProblem:
    """Return a problem as it is saved. A `Stalled` run is saved as what it is for others, a `Stopped` one."""
    name, why = next((kind.__name__, key) for kind, key in _KINDS if isinstance(problem, kind))
    return JobProblem(
        name=name,
        text=str(problem),
        why=str(getattr(problem, why)) if why else "",
        unchecked_notes=problem.unchecked_notes,
    )


def unpack_problem(saved: JobProblem) -> TriageError:
    """Return the error of a saved problem."""
    problem: TriageError
    match saved.name:
        case "Stopped":
            problem = Stopped(saved.text, why=saved.why)
        case "OverCap":
            limit: Any = saved.why if saved.why in _LIMITS else "run"
            problem = OverCap(saved.text, limit=limit)
        case "Refused":
            problem = Refused(saved.text, code=saved.why)
        case "Unreachable":
            problem = Unreachable(saved.text)
        case "NoKey":
            problem = NoKey(saved.text)
        case _:
            problem = TriageError(saved.text)
    problem.unchecked_notes = saved.unchecked_notes
    return problem


_KINDS: tuple[tuple[type[TriageError], str], ...] = (
    (Stopped, "why"),
    (OverCap, "limit"),
    (Refused, "code"),
    (NoKey, ""),
    (Unreachable, ""),
    (TriageError, ""),
)
