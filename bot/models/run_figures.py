"""Run figures: the short form of a session, kept in a thread's document and shown on its card.

The session itself stays in `sessions/`.
"""

from __future__ import annotations

from bot.models.fact import Fact


class RunFigures(Fact):
    """The figures of one run."""

    session_id: str
    agent: str
    tier: int
    model: str
    turns: int
    tool_calls: int
    tokens: int
    """Read and written, over all turns."""
    cost_usd: float | None
    """Maximum cost; `None` if the model's price, or the use of one of its turns, is unknown."""
    unsure_usd: float = 0.0
    """Part of the maximum that the server did not report."""
    duration_ms: int
    outcome: str
