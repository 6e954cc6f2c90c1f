"""Run figures: the short form of a session, kept in a thread's document and shown on its card.

The session itself stays in `sessions/`.
"""

from __future__ import annotations

from bot.models.fact import Fact


class RunFigures(Fact):
    """The figures of one run. `cost_usd` is `None` if the model's price is unknown."""

    session_id: str
    agent: str
    tier: int
    model: str
    turns: int
    tool_calls: int
    tokens: int
    """Read and written, over all turns."""
    cost_usd: float | None
    duration_ms: int
    outcome: str
