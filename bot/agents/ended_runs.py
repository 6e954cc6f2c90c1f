"""Ended runs: their figures, kept until their thread's document has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from bot.models.run_figures import RunFigures
    from bot.models.session import Session

THREADS_REMEMBERED = 1_000
"""Threads whose ended runs are kept until they are fetched; the oldest is dropped first."""


class EndedRuns:
    """Ended runs by thread."""

    def __init__(self) -> None:
        self._runs: dict[str, list[tuple[datetime, RunFigures]]] = {}

    def add(self, session: Session) -> None:
        """Add the run of a thread, once."""
        if session.thread_id is None:
            return
        ended = self._runs.setdefault(session.thread_id, [])
        if session.session_id not in [figures.session_id for _, figures in ended]:
            ended.append((session.started_at, session.to_figures()))
        while len(self._runs) > THREADS_REMEMBERED:
            del self._runs[next(iter(self._runs))]

    def take(self, thread_id: str, since: datetime) -> tuple[RunFigures, ...]:
        """Return the runs of a thread that began after `since` and ended since the last call, in order; each once."""
        return tuple(figures for started_at, figures in self._runs.pop(thread_id, ()) if started_at >= since)
