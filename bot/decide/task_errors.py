"""Classification of the last error of a task, from its runs, its draft and its verdict. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models.task_error import ErrorKind, TaskError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.models.run_figures import RunFigures
    from bot.models.task import Dispatch
    from bot.models.thread import Thread

_BY_DISPATCH: dict[str, ErrorKind] = {
    "aborted: no-key": "no-key",
    "aborted: unreachable": "unreachable",
    "aborted: stalled": "stalled",
    "aborted: over-cap": "over-cap",
    "aborted: time": "time",
    "aborted: limit": "limit",
    "aborted: repeats": "repeats",
    "aborted: ping-pong": "repeats",
    "aborted: same-error": "repeats",
    "aborted: stopped": "stopped",
    "aborted: settings": "settings",
    "failed": "crashed",
}
"""Kinds by the status of a run; a run that a decision ended has no error."""
_BY_SESSION: dict[str, ErrorKind] = {
    "no_key": "no-key",
    "unreachable": "unreachable",
    "stalled": "stalled",
    "over_cap": "over-cap",
    "limit": "limit",
    "loop": "repeats",
    "cancelled": "stopped",
    "refused": "refused-request",
    "unusable": "unusable",
    "failed": "crashed",
    "died": "crashed",
}
"""Kinds by the outcome of an agent's session, which says more where the run has only failed."""


def find_error(thread: Thread) -> TaskError | None:
    """Return the last error of a task; `None` if nothing has gone wrong."""
    run = next((run for run in reversed(thread.dispatches) if run.status in _BY_DISPATCH), None)
    if thread.stopped_by:
        return TaskError("stopped", thread.failure or "", run)
    if reason := thread.failure or thread.fallback:
        return TaskError(_find_kind(run, thread.runs, "investigator"), reason, run)
    if thread.unvalidated:
        return TaskError(_find_kind(None, thread.runs, "validator"), thread.unvalidated, run)
    verdict = thread.verdict
    if verdict and verdict.verdict == "bounce" and thread.draft_pending and not thread.draft_pending.edited_by:
        return TaskError("refused-evidence", " ".join(verdict.reasons), None)
    return TaskError(_find_kind(run, thread.runs, "investigator"), "", run) if run else None


def _find_kind(run: Dispatch | None, sessions: Iterable[RunFigures], agent: str) -> ErrorKind:
    """Return the kind of a run's end; that of an agent's last session where the run names none."""
    kind = _BY_DISPATCH[run.status] if run else "crashed"
    if kind != "crashed":
        return kind
    outcomes = [session.outcome for session in sessions if session.agent == agent]
    return next((_BY_SESSION[outcome] for outcome in reversed(outcomes) if outcome in _BY_SESSION), kind)
